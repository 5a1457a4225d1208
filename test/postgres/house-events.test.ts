import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  appendHouseEvents,
  decisionIdPrefix,
  firstLoggedHour,
  type HouseEvent,
  sweepHouseEvents,
} from '../../src/store/house/house-events.ts'
import { listHouseTotals, rebuildHouseSums } from '../../src/store/house/house-reports.ts'
import { openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'

const NOW = new Date('2026-05-01T00:30:00Z')
const DAY = 86_400_000

let postgres: TestPostgres
let store: PostgresStore
beforeAll(async () => {
  postgres = await startPostgres()
  store = await openPostgres(await postgres.createDatabase('house_events'))
})
afterAll(async () => {
  await store.close()
  await postgres.stop()
})

/** A click on an ad of a minute before. */
function click(name: string, daysAgo: number): HouseEvent {
  const at = NOW.getTime() - daysAgo * DAY
  const decisionId = `${decisionIdPrefix(new Date(at - 60_000))}${name}`
  const ad = { tenantId: 't', lineId: 'line', creativeId: 'creative', place: 'home', rateMicros: 1 }
  return {
    ...ad,
    decisionId,
    eventId: `${decisionId}.click`,
    kind: 'click',
    isBot: false,
    happenedAt: new Date(at).toISOString(),
  }
}

it('old events leave the log a few at a time, and sums that are made again keep them', async () => {
  const events = [click('a', 92), click('b', 91), click('c', 91), click('d', 90), click('e', 1)]
  await store.transaction((tx) => appendHouseEvents(tx, events))
  const before = firstLoggedHour(NOW)
  const sweep = () => store.transaction((tx) => sweepHouseEvents(tx, before, 2))
  expect([await sweep(), await sweep()]).toEqual([2, 1])
  await store.transaction((tx) => rebuildHouseSums(tx, 't', before))
  expect(await listHouseTotals(store.read, 't')).toEqual([{ lineId: 'line', kind: 'click', events: 5 }])
})
