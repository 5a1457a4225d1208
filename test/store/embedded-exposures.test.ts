import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withinCaps } from '../../src/ad-serving/embedded/frequency.ts'
import { appendEmbeddedEvents, type EmbeddedEvent } from '../../src/store/embedded/events.ts'
import { addExposures, exposuresOf } from '../../src/store/embedded/exposures.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

const DECIDED = Date.parse('2026-03-02T12:00:00Z')
const MINUTE = 60_000
const folder = mkdtempSync(join(tmpdir(), 'exposures-'))

let store: SqliteStore
beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterAll(async () => {
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})

const decide = (viewer: string, decisionId: string) =>
  store.transaction((tx) => addExposures(tx, 't', [{ decisionId, viewer, lineId: 'line', decidedAt: new Date(DECIDED) }]))

function impression(decisionId: string, at: number): EmbeddedEvent {
  const ad = { tenantId: 't', lineId: 'line', creativeId: 'creative', place: 'home', rateMicros: 1, isBot: false }
  return { ...ad, decisionId, eventId: `${decisionId}.impression`, kind: 'impression', happenedAt: new Date(at).toISOString() }
}

/** Whether one more is allowed under one impression in so many minutes. */
async function allows(viewer: string, minutes: number, at: number): Promise<boolean> {
  const since = new Date(at - minutes * MINUTE)
  const seen = await exposuresOf(store.read, { tenantId: 't', viewers: [viewer, 'somebody else'] }, since, new Date(at))
  return withinCaps([{ most: 1, windowMs: minutes * MINUTE }], seen.get(viewer)?.get('line') ?? [], at)
}

describe('what a visitor has had of a line', () => {
  it('counts from the moment at which it was shown, however long after the decision', async () => {
    await decide('anna', 'anna-1')
    await store.transaction((tx) => appendEmbeddedEvents(tx, [impression('anna-1', DECIDED + 9 * MINUTE)]))
    expect(await allows('anna', 30, DECIDED + 38 * MINUTE)).toBe(false)
    expect(await allows('anna', 30, DECIDED + 39 * MINUTE)).toBe(true)
  })

  it('holds a place as long as an impression may still come, in windows that are shorter too', async () => {
    await decide('bert', 'bert-1')
    expect(await allows('bert', 1, DECIDED + 2 * MINUTE)).toBe(false)
    expect(await allows('bert', 1, DECIDED + 10 * MINUTE + 1)).toBe(true)
  })
})
