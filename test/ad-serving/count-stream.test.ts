import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventResult } from '../../src/ad-serving/embedded/replay-segment.ts'
import { type StreamCounter, startStreamCounter } from '../../src/ad-serving/embedded/stream/count-stream.ts'
import type { StreamMember, StreamPlace, StreamRecord, StreamWriter } from '../../src/ad-serving/embedded/stream/event-stream.ts'
import { StreamOutOfRange } from '../../src/ad-serving/embedded/stream/event-stream.ts'
import { createStreamedEvents } from '../../src/ad-serving/embedded/stream/streamed-events.ts'
import { migrate } from '../../src/store/database.ts'
import { decisionIdPrefix, type EmbeddedEvent } from '../../src/store/embedded/events.ts'
import { listLogPositions, moveLogPositions, PartitionTaken, takeLogPartitions } from '../../src/store/embedded/log-positions.ts'
import { createEventSpool } from '../../src/store/embedded/spool/event-spool.ts'
import { encodeEvents } from '../../src/store/embedded/spool/segment.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

/** A log of one partition in memory; the extended tests have a real one. */
class MemoryLog {
  readonly records: { offset: number; appendedAt: Date; value: Buffer }[] = []
  first = 0
  isAway = false
  reads = 0

  append(records: readonly StreamRecord[]): readonly StreamPlace[] {
    return records.map(({ value }) => {
      const offset = this.first + this.records.length
      this.records.push({ offset, appendedAt: new Date(), value })
      return { partition: 0, offset }
    })
  }

  get end(): number {
    return this.first + this.records.length
  }

  writer(): StreamWriter {
    const away = () => {
      if (this.isAway) throw new Error('away')
    }
    return {
      append: async (records) => {
        away()
        return this.append(records)
      },
      ping: async () => away(),
      shape: async () => ({ logId: 'log', partitions: 1 }),
      close: async () => {},
    }
  }

  member(): StreamMember {
    return {
      ...{ logId: 'log', partitions: 1 },
      assigned: async () => [0],
      read: async (positions) => {
        this.reads += 1
        const from = positions.get(0) ?? 0
        if (from < this.first || from > this.end) throw new StreamOutOfRange()
        await new Promise((resolve) => setTimeout(resolve, 5))
        return [{ partition: 0, end: this.end, records: this.records.filter(({ offset }) => offset >= from).slice(0, 40) }]
      },
      bounds: async () => new Map([[0, { first: this.first, end: this.end }]]),
      close: async () => {},
    }
  }
}

let folder: string
let store: SqliteStore
let log: MemoryLog
let results: Map<EventResult, number>
const counters: StreamCounter[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'count-stream-'))
  store = await openSqlite(join(folder, 'store.sqlite'))
  await migrate(store.read)
  log = new MemoryLog()
  results = new Map()
})
afterEach(async () => {
  for (const each of counters.splice(0)) await each.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

function startCounter(member = log.member()): StreamCounter {
  const count = (result: EventResult, events: number) => results.set(result, (results.get(result) ?? 0) + events)
  const parts = { store, owner: 'test', clock: () => new Date(), count, report: () => {} }
  const counter = startStreamCounter({ ...parts, reader: { join: async () => member } })
  counters.push(counter)
  return counter
}

let ids = 0
function eventsOf(count: number, more: Partial<EmbeddedEvent> = {}): EmbeddedEvent[] {
  return Array.from({ length: count }, () => {
    const decisionId = `${decisionIdPrefix(new Date())}-${ids++}`
    return {
      ...{ decisionId, eventId: `${decisionId}.impression`, tenantId: 'demo', lineId: 'line', creativeId: 'creative' },
      ...{ place: 'place', kind: 'impression', isBot: false, rateMicros: 5_000_000, happenedAt: new Date().toISOString() },
      ...more,
    }
  })
}
const recordsOf = (events: readonly EmbeddedEvent[]) => events.map((event) => ({ key: 'k', value: encodeEvents([event]) }))

async function total(): Promise<number> {
  const row = await store.read
    .selectFrom('embedded_totals')
    .select((e) => e.fn.sum<number>('events').as('events'))
    .executeTakeFirst()
  return Number(row?.events ?? 0)
}
const positionOf = async () => (await listLogPositions(store.read, 'log'))[0]

describe('counting a log', () => {
  it('counts each event once, with the position, and passes over what is no event', async () => {
    const events = eventsOf(100)
    log.append(recordsOf(events))
    log.append([{ key: 'k', value: Buffer.from('not ours') }])
    log.append(recordsOf([...events.slice(0, 30), ...eventsOf(1, { happenedAt: '2020-01-01T00:00:00.000Z' })]))
    const counter = startCounter()
    await expect.poll(async () => (await positionOf())?.nextOffset).toBe(132)
    expect(await total()).toBe(100)
    expect(Object.fromEntries(results)).toEqual({ counted: 100, repeated: 30, damaged: 1, expired: 1 })
    expect(counter.lag()).toMatchObject({ partitions: 1, events: 0 })
    expect(counter.fault()).toBeUndefined()
  })

  it('refuses what a process still writes after another took its partition', async () => {
    const [old] = await store.transaction((tx) => takeLogPartitions(tx, { logId: 'log', partitions: [0], owner: 'old' }))
    const [taken] = await store.transaction((tx) => takeLogPartitions(tx, { logId: 'log', partitions: [0], owner: 'new' }))
    const move = { partition: 0, from: 0, to: 10, completeUntil: new Date() }
    const moved = (epoch: number) => store.transaction((tx) => moveLogPositions(tx, 'log', [{ ...move, epoch }]))
    await expect(moved(old?.epoch ?? 0)).rejects.toThrow(PartitionTaken)
    await moved(taken?.epoch ?? 0)
    // The same batch again.
    await expect(moved(taken?.epoch ?? 0)).rejects.toThrow(PartitionTaken)
    expect((await positionOf())?.nextOffset).toBe(10)
  })

  it('is exact with two processes that both believe that a partition is theirs', async () => {
    startCounter()
    startCounter()
    for (let round = 0; round < 20; round++) {
      log.append(recordsOf(eventsOf(37)))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await expect.poll(async () => (await positionOf())?.nextOffset).toBe(740)
    expect(await total()).toBe(740)
  })

  it('says how much a log has dropped before it was counted, and reads a log again that lost its end', async () => {
    log.append(recordsOf(eventsOf(50)))
    const counter = startCounter()
    await expect.poll(async () => (await positionOf())?.nextOffset).toBe(50)
    await counter.close()
    log.append(recordsOf(eventsOf(30)))
    log.first = 60
    log.records.splice(0, 60)
    const next = startCounter()
    await expect.poll(async () => await positionOf()).toMatchObject({ nextOffset: 80, lost: 10 })
    expect(await total()).toBe(70)
    await next.close()
    log.records.splice(15)
    startCounter()
    await expect.poll(async () => await positionOf()).toMatchObject({ nextOffset: 75, lost: 10 })
    expect(await total()).toBe(70)
  })
})

describe('events written to a log', () => {
  it('are new once, go to the spool while it is away, and are added to sums that lack them', async () => {
    const spool = createEventSpool({ folder: join(folder, 'ad-events'), maxBytes: 2 ** 20 })
    const parts = {
      store,
      spool,
      isBehind: false,
      clock: () => new Date(),
      report: () => {},
    }
    const events = createStreamedEvents({ ...parts, writer: log.writer() })
    expect(events.isBehind()).toBe(true)
    const counter = startCounter()
    const isBehind = async () => {
      await events.settle()
      return events.isBehind()
    }
    await expect.poll(isBehind).toBe(false)
    await counter.close()
    const first = eventsOf(5)
    expect((await events.append(first)).size).toBe(5)
    expect((await events.append(first)).size).toBe(0)
    expect(events.uncounted('demo')).toHaveLength(5)
    expect(events.uncounted('other')).toHaveLength(0)
    log.isAway = true
    expect((await events.append(eventsOf(7))).size).toBe(7)
    expect(events.fault()).toContain('the log of ad events does not answer')
    log.isAway = false
    await expect.poll(() => events.fault()).toBeUndefined()
    await expect.poll(() => log.end).toBe(12)
    startCounter()
    await expect.poll(total).toBe(12)
    await events.settle()
    expect(events.uncounted('demo')).toHaveLength(0)
    await events.close()
  })
})
