import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFeedSource } from '../../../src/features/catalogs/feed-source.ts'
import { startRefetch } from '../../../src/features/catalogs/refetch.ts'
import { createLog } from '../../../src/platform/log.ts'
import { listCatalogItems } from '../../../src/store/catalog/catalog-items.ts'
import { type BuyerDataAgent, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'
import { type FakeWeb, json, startFakeWeb, status } from '../../support/fake-web/fake-web.ts'

const URL = 'https://feeds.example/offers.json'
const offer = (id: string) => ({ offering_id: id, name: id, landing_url: `https://brand.example/${id}` })

let now = new Date('2026-03-01T12:00:00Z')
let agent: BuyerDataAgent
let web: FakeWeb

beforeAll(async () => {
  web = await startFakeWeb()
  agent = await startBuyerDataAgent({ safeFetch: web.fetch(), clock: () => now })
})
afterAll(async () => {
  await agent.stop()
  await web.close()
})

/** One look of a process of its own; several may run at the same time. */
async function look(processes = 1): Promise<void> {
  const { store } = agent.server
  const options = { store, feeds: createFeedSource(web.fetch()), clock: () => now, log: createLog('silent'), pollMs: 1e6 }
  const jobs = Array.from({ length: processes }, () => startRefetch(options))
  for (const job of jobs) job.wake()
  await Promise.all(jobs.map((job) => job.idle()))
  await Promise.all(jobs.map((job) => job.stop()))
}

const row = async () => (await agent.run('sync_catalogs')).data.catalogs[0]
const items = async () => {
  const reach = { tenantId: 'acme', principalId: 'buyer', accountId: undefined }
  return (await listCatalogItems(agent.server.store.read, reach, 'offers', { limit: 10 })).map(({ itemId }) => itemId)
}

test('a feed is fetched again when its frequency says so, once among several processes, and not when it did not change', async () => {
  web.put(URL, json([offer('a')]))
  const catalog = { catalog_id: 'offers', type: 'offering', url: URL, update_frequency: 'hourly' }
  await agent.run('sync_catalogs', { catalogs: [catalog] })
  web.forgetRequests()
  await look()
  expect(web.requests).toEqual([])
  now = new Date('2026-03-01T13:00:00Z')
  web.put(URL, json([offer('a'), offer('b')]))
  await look(3)
  expect(web.requests).toEqual([URL])
  expect(await items()).toEqual(['a', 'b'])
  expect(await row()).toMatchObject({
    item_count: 2,
    last_synced_at: now.toISOString(),
    next_fetch_at: '2026-03-01T14:00:00.000Z',
  })
  now = new Date('2026-03-01T14:00:00Z')
  await look()
  expect(await row()).toMatchObject({
    item_count: 2,
    last_synced_at: now.toISOString(),
    next_fetch_at: '2026-03-01T15:00:00.000Z',
  })
})

test('a feed that fails keeps its items, says why, and is tried again ever later', async () => {
  web.put(URL, status(500))
  for (const [at, next] of [
    ['15:00', '15:05'],
    ['15:05', '15:15'],
    ['15:15', '15:35'],
    ['15:35', '16:15'],
    ['16:15', '17:15'],
  ]) {
    now = new Date(`2026-03-01T${at}:00Z`)
    await look()
    expect(await row()).toMatchObject({
      next_fetch_at: `2026-03-01T${next}:00.000Z`,
      warnings: ["the last fetch failed: the feed's server answered 500"],
    })
  }
  expect(await items()).toEqual(['a', 'b'])
  web.put(URL, json([offer('c')]))
  now = new Date('2026-03-01T17:15:00Z')
  await look()
  expect(await items()).toEqual(['c'])
  expect(await row()).not.toHaveProperty('warnings')
})
