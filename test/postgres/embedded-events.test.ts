import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  appendEmbeddedEvents,
  decisionIdPrefix,
  type EmbeddedEvent,
  embeddedEventWriter,
  firstLoggedHour,
  sweepEmbeddedEvents,
} from '../../src/store/embedded/events.ts'
import { listEmbeddedTotals, rebuildEmbeddedSums } from '../../src/store/embedded/reports.ts'
import { changePostgres, openPostgres, type PostgresStore } from '../../src/store/postgres/postgres.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { expectEmbeddedTables, makeHouseTables } from '../store/embedded-tables-contract.ts'

const NOW = new Date('2026-05-01T00:30:00Z')
const DAY = 86_400_000

let postgres: TestPostgres
let store: PostgresStore
beforeAll(async () => {
  postgres = await startPostgres()
  store = await openPostgres(await postgres.createDatabase('embedded_events'))
})
afterAll(async () => {
  await store.close()
  await postgres.stop()
})

/** An impression of an ad that was decided on a minute before. */
function impression(name: string, daysAgo: number): EmbeddedEvent {
  const at = NOW.getTime() - daysAgo * DAY
  const decisionId = `${decisionIdPrefix(new Date(at - 60_000))}${name}`
  const ad = { tenantId: 't', lineId: 'line', creativeId: 'creative', place: 'home', rateMicros: 1 }
  return {
    ...ad,
    decisionId,
    eventId: `${decisionId}.impression`,
    kind: 'impression',
    isBot: false,
    happenedAt: new Date(at).toISOString(),
  }
}

it('old events leave the log a few at a time, and sums that are made again keep them', async () => {
  const events = [impression('a', 92), impression('b', 91), impression('c', 91), impression('d', 90), impression('e', 1)]
  await store.transaction((tx) => appendEmbeddedEvents(tx, events))
  const before = firstLoggedHour(NOW)
  const sweep = () => store.transaction((tx) => sweepEmbeddedEvents(tx, before, 2))
  expect([await sweep(), await sweep()]).toEqual([2, 1])
  await store.transaction((tx) => rebuildEmbeddedSums(tx, 't', before))
  expect(await listEmbeddedTotals(store.read, 't')).toEqual([{ lineId: 'line', kind: 'impression', events: 5 }])
})

it('a click that one process writes while another writes its impression counts once both are there', async () => {
  const shown = { ...impression('at once', 1), tenantId: 'u' }
  const clicked = { ...shown, eventId: `${shown.decisionId}.click`, kind: 'click' }
  const write = embeddedEventWriter(store)
  let inserted = (): void => undefined
  const isInserted = new Promise<void>((resolve) => {
    inserted = resolve
  })
  // Neither sees the other's rows: the impression is inserted before the click is looked for, and committed after it.
  const slow = {
    ...store,
    read: store.read,
    transaction: (work: Parameters<typeof store.transaction>[0], options: Parameters<typeof store.transaction>[1]) =>
      store.transaction(async (tx) => {
        const result = await work(tx)
        inserted()
        await clicking
        return result
      }, options),
  }
  const showing = embeddedEventWriter(slow as never)([shown])
  const clicking = isInserted.then(() => write([clicked]))
  await Promise.all([showing, clicking])
  const totals = (await listEmbeddedTotals(store.read, 'u')).filter(({ events }) => events > 0)
  expect(totals.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
    { lineId: 'line', kind: 'click', events: 1 },
    { lineId: 'line', kind: 'impression', events: 1 },
  ])
})

it('a database from before the tables had the name of the embedded ad server keeps their rows and indexes', async () => {
  const url = await postgres.createDatabase('house_tables')
  await changePostgres(url, makeHouseTables)
  const migrated = await openPostgres(url)
  try {
    await expectEmbeddedTables(migrated)
  } finally {
    await migrated.close()
  }
})
