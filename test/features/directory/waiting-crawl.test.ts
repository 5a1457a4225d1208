import { expect, it } from 'vitest'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { leaseDue } from '../../../src/store/directory/directory-leases.ts'
import { openDirectory } from '../../support/directory.ts'
import { startFakeWeb, wellKnown } from '../../support/fake-web/fake-web.ts'
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
  expect(totals).toEqual({ done: 1, failed: 0, absent: 0, remaining: [] })
  await directory.close()
  await web.close()
})
