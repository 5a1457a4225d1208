import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'

const ROUNDS = 200
const MINUTE = 60_000

/** The same chance in every run: a linear congruential generator (Numerical Recipes). */
function chances(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

const server = createMemoryAdServer()
let agent: MediaBuyAgent
let now = Date.parse('2026-03-01T12:00:00Z')
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('home')], {
    backend: { backend: server.backend, drift: 'heal' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
})
afterAll(() => agent?.stop())

/** Lets the lease of a process that died end, and reconciles; the process dies before its step of this number. */
async function reconcile(dieBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
  now += 6 * MINUTE
  agent.setClock(new Date(now).toISOString())
  const { store, services, clock, log } = agent.server
  let taken = 0
  let died = false
  const beforeStep = () => {
    if (taken++ < dieBefore) return
    died = true
    throw new Error('killed')
  }
  await reconcileDue({ store, clock, log, backends: services.adServers.backends, beforeStep })
  return died
}

test('200 deaths between two steps: every order is there once, as its buyer wants it', async () => {
  const chance = chances(20_260_301)
  const wanted = new Map<string, { revision: number; packageIds: string[]; budget: number; paused: boolean; canceled: boolean }>()
  let deaths = 0
  while (deaths < ROUNDS) {
    const open = [...wanted].filter(([, { canceled }]) => !canceled)
    const [id, buy] = open[chance(Math.max(1, open.length))] ?? []
    if (id === undefined || buy === undefined || open.length < 5) {
      const packages = ['news', 'home'].map((product_id) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 }))
      const flight = { start_time: '2026-08-01T00:00:00Z', end_time: '2026-08-20T00:00:00Z' }
      const { data } = await agent.create({ ...flight, packages, idempotency_key: randomUUID() })
      const packageIds = data.packages.map((pkg: { package_id: string }) => pkg.package_id)
      wanted.set(data.media_buy_id, { revision: data.revision, packageIds, budget: 1000, paused: false, canceled: false })
    } else {
      const act = chance(6)
      const budget = act < 3 ? buy.budget + 10 : buy.budget
      const change =
        act < 3
          ? { packages: buy.packageIds.map((package_id) => ({ package_id, budget })) }
          : act < 5
            ? { paused: !buy.paused }
            : { canceled: true }
      const { data, isError } = await agent.run('update_media_buy', { media_buy_id: id, revision: buy.revision, ...change })
      if (isError) throw new Error(JSON.stringify(data))
      const next = { ...buy, revision: data.revision, budget }
      wanted.set(id, { ...next, paused: act === 3 || act === 4 ? !buy.paused : buy.paused, canceled: act === 5 })
    }
    // One process after the other dies, each a few steps further or not even that far.
    for (let attempts = chance(4); attempts >= 0; attempts--) if (await reconcile(chance(4))) deaths++
    await reconcile()
  }
  await reconcile()
  await reconcile()
  expect(server.orders.map(({ key }) => key.externalId).toSorted()).toEqual([...wanted.keys()].toSorted())
  for (const { key, state, lines } of server.orders) {
    const buy = wanted.get(key.externalId)
    expect(state).toBe(buy?.canceled ? 'ended' : buy?.paused ? 'paused' : 'active')
    expect(lines.map(({ externalId }) => externalId).toSorted()).toEqual(buy?.packageIds.toSorted())
    if (buy?.canceled) continue
    for (const line of lines)
      expect(line).toMatchObject({ state: 'active', settings: { budgetMicros: (buy?.budget ?? 0) * 1e6 } })
  }
  const rows = await agent.server.store.read.selectFrom('ad_server_orders').select(['requested', 'applied', 'attempts']).execute()
  expect(rows.every(({ requested, applied, attempts }) => requested === applied && attempts === 0)).toBe(true)
  expect(await agent.server.store.read.selectFrom('ad_server_drift').selectAll().execute()).toEqual([])
}, 300_000)
