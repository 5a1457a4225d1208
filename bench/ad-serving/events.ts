import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDurableEvents } from '../../src/ad-serving/embedded/durable-events.ts'
import { createEventLog } from '../../src/ad-serving/embedded/event-log.ts'
import { createAdTokens, type Served } from '../../src/ad-serving/embedded/tokens.ts'
import { decisionIdPrefix, embeddedEventWriter } from '../../src/store/embedded/events.ts'
import { createEventSpool } from '../../src/store/embedded/spool/event-spool.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

export interface EventFigures {
  readonly events: number
  readonly perSecond: number
  /** How long an event waits until it is durable. */
  readonly p99Ms: number
  /** Processor time of one event, microseconds. */
  readonly cpuUs: number
  /** Of it, microseconds of reading its token: signature and JSON. */
  readonly tokenUs: number
}

/** Events that wait at a time: pages that send at the same moment. */
const AT_ONCE = 4_000

/** Events with their tokens read, written durably (a fsync a batch) to SQLite and summed up; over 1,000 lines. */
export async function measureEvents(events: number): Promise<EventFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-events-'))
  const store = await openSqlite(join(folder, 'events.sqlite'))
  try {
    const durable = createDurableEvents({
      spool: createEventSpool({ folder: join(folder, 'ad-events'), maxBytes: 2 ** 26 }),
      append: embeddedEventWriter(store),
      ping: () => store.ping(),
      isBehind: false,
      clock: () => new Date(),
      report: (fault) => process.stderr.write(`${String(fault)}\n`),
    })
    const log = createEventLog(durable, () => {})
    const tokens = createAdTokens('bench')
    const now = new Date()
    const signed = Array.from({ length: events }, (_, index) => tokens.sign(servedBy(index, now)))
    const tokenUs = usOfReading(signed, tokens.read)
    const times: number[] = []
    const began = performance.now()
    const cpu = process.cpuUsage()
    for (let at = 0; at < events; at += AT_ONCE) {
      const sent = performance.now()
      await Promise.all(
        signed.slice(at, at + AT_ONCE).map(async (token) => {
          const served = tokens.read(token)
          if (!served) throw new Error('a token of ours was not read')
          const { at: _at, ...event } = served
          await log.add({
            ...event,
            eventId: `${served.decisionId}.impression`,
            kind: 'impression',
            happenedAt: now.toISOString(),
          })
          times.push(performance.now() - sent)
        }),
      )
    }
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (performance.now() - began) / 1000
    await log.close()
    await durable.close()
    const sorted = times.toSorted((a, b) => a - b)
    const { written } = await store.read
      .selectFrom('embedded_events')
      .select((e) => e.fn.countAll<number>().as('written'))
      .executeTakeFirstOrThrow()
    if (written !== events) throw new Error(`${written} of ${events} events are in the log`)
    return {
      events,
      cpuUs: (user + system) / events,
      tokenUs,
      perSecond: Math.round(events / seconds),
      p99Ms: sorted[Math.floor(0.99 * (events - 1))] ?? 0,
    }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function usOfReading(signed: readonly string[], read: (token: string) => unknown): number {
  const before = process.cpuUsage()
  for (const token of signed) if (read(token) === undefined) throw new Error('a token of ours was not read')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / signed.length
}

function servedBy(index: number, now: Date): Served {
  const line = index % 1000
  return {
    decisionId: `${decisionIdPrefix(now)}${index.toString(36).padStart(16, '0')}`,
    tenantId: 'bench',
    lineId: `line-${line}`,
    creativeId: `creative-${line}-${index % 2}`,
    place: `place-${line % 20}`,
    rateMicros: 5_000_000,
    isBot: false,
    at: now.getTime(),
  }
}
