import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costsOfDay } from '../../../src/ad-serving/embedded/day-costs.ts'
import { createEmbeddedBackend } from '../../../src/ad-serving/embedded/embedded-backend.ts'
import { loadSnapshot } from '../../../src/ad-serving/embedded/snapshot.ts'
import type { LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import type { Store } from '../../../src/store/database.ts'
import { listOpenEmbeddedLines } from '../../../src/store/embedded/orders.ts'
import { addHours } from '../../../src/store/embedded/sums.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { LINE } from '../../support/ad-publisher.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-capped-'))
const TENANT = 'acme'
const ORDER = { tenantId: TENANT, externalId: 'buy' }
let store: Store
let now = new Date('2026-03-02T08:00:00.000Z')

beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const own: LineSettings = {
  ...LINE,
  productId: 'news',
  startsAt: '2026-03-02T00:00:00.000Z',
  endsAt: '2026-03-09T00:00:00.000Z',
  budgetMicros: 100_000_000,
  price: { model: 'cpm', basis: 'fixed', rateMicros: 10_000_000 },
  goalImpressions: null,
}

test('a cap is written with its line, is counted over the order, and bounds what a day is charged', async () => {
  const backend = createEmbeddedBackend({
    ...{ places: { countries: true, regions: true }, store, clock: () => now, reportEveryMs: 60_000, liveEveryMs: 2_000 },
    ...{ timeZoneOf: async () => 'UTC', placesOf: async () => [], formatOf: async () => undefined },
    listInventory: async () => ({ units: [] }),
  })
  const { budgetMicros, startsAt, endsAt } = own
  await backend.putOrder(ORDER, { name: 'buy', advertiserId: 'a', currency: 'USD', budgetMicros, startsAt, endsAt })
  const dailyCap = { ownMicros: 2_000_000, sharedMicros: 3_000_000 }
  for (const externalId of ['one', 'two']) {
    await backend.putLine(ORDER, { externalId }, { ...own, dailyCap })
    await backend.setLineState(ORDER, { externalId }, 'active')
  }
  const capsThere = async () => (await backend.observe(ORDER))?.lines.map(({ settings }) => settings.dailyCap)
  expect(await capsThere()).toEqual([dailyCap, dailyCap])
  expect((await loadSnapshot(store.read, TENANT, now)).cappedOrders).toEqual(['buy'])

  const shown = async (externalId: string, happenedAt: string, count: number) => {
    const line = (await listOpenEmbeddedLines(store.read, TENANT, now)).find(({ document }) =>
      document.includes(`"name":"${externalId}"`),
    )
    if (!line) throw new Error(`${externalId} is not written`)
    const event = { tenantId: TENANT, lineId: line.lineId, creativeId: 'ad', place: 'news', kind: 'impression', isBot: false }
    const events = Array.from({ length: count }, (_, index) => {
      const decisionId = `${externalId}-${happenedAt}-${index}`
      return { ...event, decisionId, eventId: `${decisionId}-i`, rateMicros: 10_000_000, happenedAt }
    })
    await store.transaction((tx) => addHours(tx, events))
  }
  await shown('one', '2026-03-02T09:10:00.000Z', 250)
  await shown('two', '2026-03-02T10:10:00.000Z', 150)
  await shown('two', '2026-03-03T10:10:00.000Z', 100)
  now = new Date('2026-03-03T12:00:00.000Z')
  const today = await costsOfDay(store.read, TENANT, ['buy'], now)
  expect(today?.costs).toEqual([{ lineId: expect.any(String), order: 'buy', micros: 1_000_000 }])

  const charged = async () => {
    const { rows } = await backend.report({ tenantId: TENANT, orderExternalIds: ['buy'], since: '2026-03-01' })
    return rows.map(({ lineExternalId, period, impressions, spendMicros }) => [lineExternalId, period, impressions, spendMicros])
  }
  const expected = [
    ['one', '2026-03-02T09', 250, 2_000_000],
    ['two', '2026-03-02T10', 150, 1_000_000],
    ['two', '2026-03-03T10', 100, 1_000_000],
  ]
  expect((await charged()).toSorted()).toEqual(expected)
  // What was charged under a larger cap stays charged, and a cap that was taken away is seen to be gone.
  for (const externalId of ['one', 'two'])
    await backend.putLine(ORDER, { externalId }, { ...own, dailyCap: { ownMicros: 1_000 } })
  expect((await charged()).toSorted()).toEqual(expected)
  for (const externalId of ['one', 'two']) await backend.putLine(ORDER, { externalId }, own)
  expect(await capsThere()).toEqual([null, null])
})
