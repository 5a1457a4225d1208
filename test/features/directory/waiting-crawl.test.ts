import { expect, it } from 'vitest'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { refreshPublisher } from '../../../src/features/directory/refresh.ts'
import { SharedDocuments } from '../../../src/features/directory/shared-documents.ts'
import { WriteTurns } from '../../../src/features/directory/write-turns.ts'
import { describeElsewhere } from '../../../src/operator/directory/describe-leases.ts'
import { leaseDue } from '../../../src/store/directory/directory-leases.ts'
import { openDirectory } from '../../support/directory.ts'
import { startFakeWeb, status, wellKnown } from '../../support/fake-web/fake-web.ts'
import { grant, property } from '../../support/registry-world.ts'

it('a crawl that waits for the lease of another machine says for what and until when, and refreshes it then', async () => {
  const web = await startFakeWeb()
  const directory = await openDirectory(web.fetch())
  web.put(wellKnown('held.example'), { properties: [property()], authorized_agents: [grant()] })
  await directory.add('held.example')
  const owner = 'elsewhere 47 id'
  await directory.store.transaction((tx) => leaseDue(tx, { owner, now: directory.now(), leaseMs: 296_000, limit: 1 }))
  const until = new Date(directory.now().getTime() + 296_000).toISOString()
  const waits: object[] = []
  const totals = await crawl(directory.deps, {
    concurrency: 1,
    waitForLeases: true,
    onWait: (held, now) => {
      waits.push({ held, now: now.toISOString() })
      void directory.pass(297_000)
    },
  })
  expect(waits).toEqual([{ held: [{ domain: 'held.example', owner, until }], now: '2026-03-01T00:00:00.000Z' }])
  expect(totals).toEqual({ done: 1, failed: 0, absent: 0, elsewhere: [], remaining: [] })
  await directory.close()
  await web.close()
})

it('tells what another crawler did of what it waited for', async () => {
  const web = await startFakeWeb()
  const directory = await openDirectory(web.fetch())
  web.put(wellKnown('news.example'), { properties: [property()], authorized_agents: [grant()] })
  web.put(wellKnown('down.example'), status(500))
  await directory.add('news.example', 'down.example')
  const owner = 'elsewhere 47 id'
  const leased = { owner, now: directory.now(), leaseMs: 296_000, limit: 2 }
  await directory.store.transaction((tx) => leaseDue(tx, leased))
  const others = { ...directory.deps, worker: owner }
  let visits: Promise<unknown> | undefined
  const visit = async () => {
    const state = { shared: new SharedDocuments(others), turns: new WriteTurns() }
    for (const domain of ['news.example', 'down.example']) await refreshPublisher(others, state, domain)
  }
  const totals = await crawl(directory.deps, {
    concurrency: 1,
    waitForLeases: true,
    onWait: () => {
      visits ??= visit()
    },
  })
  await visits
  expect(totals).toEqual({
    done: 0,
    failed: 0,
    absent: 0,
    elsewhere: [
      { domain: 'down.example', owner, result: 'failed', reason: expect.stringContaining('500') },
      { domain: 'news.example', owner, result: 'verified', reason: null },
    ],
    remaining: [],
  })
  expect(describeElsewhere(totals.elsewhere)).toEqual([
    '2 were refreshed by process 47 on another machine meanwhile: 1 failed, 0 have no file',
    expect.stringContaining('down.example: failed: '),
  ])
  await directory.close()
  await web.close()
})
