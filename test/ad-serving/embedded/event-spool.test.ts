import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createDurableEvents,
  type DurableEventParts,
  type DurableEvents,
} from '../../../src/ad-serving/embedded/durable-events.ts'
import { migrate } from '../../../src/store/database.ts'
import { decisionIdPrefix, type EmbeddedEvent, embeddedEventWriter } from '../../../src/store/embedded/events.ts'
import { createEventSpool } from '../../../src/store/embedded/spool/event-spool.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/sqlite.ts'

const DAY_MS = 86_400_000

let folder: string
let store: SqliteStore
let isAway: boolean
let durable: DurableEvents | undefined
let results: Map<string, number>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'event-spool-'))
  store = await openSqlite(join(folder, 'store.sqlite'))
  await migrate(store.read)
  isAway = false
  results = new Map()
})
afterEach(async () => {
  await durable?.close()
  durable = undefined
  await store.close()
  rmSync(folder, { recursive: true })
})

const spoolFolder = () => join(folder, 'ad-events')
const spoolOf = (maxBytes = 2 ** 20) => createEventSpool({ folder: spoolFolder(), maxBytes })

/** Events written as the server does, on a store that is away when the test says so. */
async function start(parts: Partial<DurableEventParts> = {}): Promise<DurableEvents> {
  const spool = parts.spool ?? spoolOf()
  const write = embeddedEventWriter(store)
  durable = createDurableEvents({
    spool,
    append: (events) => (isAway ? Promise.reject(new Error('away')) : write(events)),
    ping: async () => {
      if (isAway) throw new Error('away')
    },
    isBehind: (await spool.contents()).waiting > 0,
    clock: () => new Date(),
    count: (result, events) => results.set(result, (results.get(result) ?? 0) + events),
    report: () => {},
    ...parts,
  })
  return durable
}

let ids = 0
function eventOf(more: Partial<EmbeddedEvent> = {}): EmbeddedEvent {
  ids += 1
  const decisionId = `${decisionIdPrefix(new Date())}-${ids}`
  return {
    ...{ decisionId, eventId: `${decisionId}.impression`, tenantId: 'demo', lineId: 'line', creativeId: 'creative' },
    ...{ place: 'place\n"1"', kind: 'impression', isBot: false, rateMicros: 5_000_000, happenedAt: new Date().toISOString() },
    ...more,
  }
}
const eventsOf = (count: number) => Array.from({ length: count }, () => eventOf())

async function stored(): Promise<readonly string[]> {
  const rows = await store.read.selectFrom('embedded_events').select('event_id').orderBy('event_id').execute()
  return rows.map((row) => row.event_id)
}
async function total(): Promise<number> {
  const row = await store.read
    .selectFrom('embedded_totals')
    .select((e) => e.fn.sum<number>('events').as('events'))
    .executeTakeFirst()
  return Number(row?.events ?? 0)
}
const idsOf = (events: readonly EmbeddedEvent[]) => events.map(({ eventId }) => eventId).sort()

describe('events while the store is away', () => {
  it('are acknowledged from the spool, and counted once when the store is back', async () => {
    const writer = await start()
    const [first, second] = [eventsOf(50), eventsOf(50)]
    expect((await writer.append(first)).size).toBe(50)
    isAway = true
    expect((await writer.append(second)).size).toBe(50)
    expect(writer.awaySince()).toBeInstanceOf(Date)
    expect(writer.isBehind()).toBe(true)
    // Repeats: of what is in the spool, and of what was in the store before.
    expect((await writer.append(second)).size).toBe(0)
    await writer.append(first)
    isAway = false
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(writer.awaySince()).toBeUndefined()
    expect(await stored()).toEqual(idsOf([...first, ...second]))
    expect(await total()).toBe(100)
    expect(await spoolOf().contents()).toMatchObject({ bytes: 0, waiting: 0 })
    expect(Object.fromEntries(results)).toEqual({ stored: 50, spooled: 100, replayed: 50 })
  })

  it('are brought to the store when nobody counts what becomes of them', async () => {
    const writer = await start({ count: undefined })
    isAway = true
    const spooled = eventsOf(20)
    await writer.append(spooled)
    isAway = false
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(await stored()).toEqual(idsOf(spooled))
  })

  it('are found by the next process, behind a torn write and a damaged record', async () => {
    isAway = true
    const spooled = eventsOf(30)
    await (await start()).append(spooled)
    await durable?.close()
    const [file = ''] = readdirSync(spoolFolder())
    const path = join(spoolFolder(), file)
    const lines = readFileSync(path, 'utf8').split('\n')
    lines[4] = lines[4]?.replace('line', 'lime') ?? ''
    writeFileSync(path, lines.join('\n'))
    appendFileSync(path, '0123abcd ["cut o')
    isAway = false
    const next = await start()
    expect(next.isBehind()).toBe(true)
    await expect.poll(() => next.isBehind()).toBe(false)
    expect(await stored()).toEqual(idsOf(spooled.filter((_, index) => index !== 4)))
    expect(Object.fromEntries(results)).toMatchObject({ spooled: 30, replayed: 29, damaged: 1 })
    expect(readdirSync(spoolFolder())).toEqual([])
  })

  it('are refused with 503 and Retry-After when the spool is full, and the spool stays within its bound', async () => {
    isAway = true
    const maxBytes = 2 ** 16
    const writer = await start({ spool: spoolOf(maxBytes) })
    const kept: EmbeddedEvent[] = []
    let refusal: unknown
    while (refusal === undefined) {
      const batch = eventsOf(20)
      await writer.append(batch).then(
        () => kept.push(...batch),
        (error: unknown) => {
          refusal = error
        },
      )
    }
    expect(refusal).toMatchObject({ code: 'SERVICE_UNAVAILABLE', http: { status: 503, headers: { 'Retry-After': '5' } } })
    const full = await spoolOf(maxBytes).contents()
    expect(full.bytes).toBeLessThanOrEqual(maxBytes)
    expect(full.hasRoom).toBe(false)
    expect(results.get('refused')).toBe(20)
    isAway = false
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(await stored()).toEqual(idsOf(kept))
  })

  it('are refused, not lost, where the spool cannot be written', async () => {
    writeFileSync(spoolFolder(), 'a file in place of the folder')
    const spool = { ...spoolOf(), contents: async () => ({ bytes: 0, waiting: 0, setAside: 0, hasRoom: false }) }
    isAway = true
    const writer = await start({ spool })
    await expect(writer.append(eventsOf(1))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await stored()).toEqual([])
    expect(existsSync(spoolFolder())).toBe(true)
  })

  it('older than the log of the store are not counted again', async () => {
    isAway = true
    const old = eventOf({ happenedAt: new Date(Date.now() - 91 * DAY_MS).toISOString() })
    const fresh = eventOf()
    const writer = await start()
    await writer.append([old, fresh])
    isAway = false
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(await stored()).toEqual([fresh.eventId])
    expect(results.get('expired')).toBe(1)
  })

  it('that a store does not take are set aside, and all others are counted', async () => {
    isAway = true
    const [good, bad] = [eventsOf(9), eventOf({ lineId: 'poison' })]
    const write = embeddedEventWriter(store)
    const append = (events: readonly EmbeddedEvent[]) =>
      isAway || events.some(({ lineId }) => lineId === 'poison') ? Promise.reject(new Error('no')) : write(events)
    const writer = await start({ append })
    await writer.append([...good.slice(0, 4), bad, ...good.slice(4)])
    isAway = false
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(await stored()).toEqual(idsOf(good))
    expect(await spoolOf().contents()).toMatchObject({ waiting: 0, setAside: 1 })
    expect(results.get('rejected')).toBe(1)
  })

  it('go to the spool when a write takes too long, and count once though it ends after all', async () => {
    const write = embeddedEventWriter(store)
    const late: Promise<unknown>[] = []
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let isSlow = true
    const append = (events: readonly EmbeddedEvent[]) => {
      if (!isSlow) return write(events)
      const done = held.then(() => write(events))
      late.push(done)
      return done
    }
    const ping = async () => {
      if (isSlow) throw new Error('away')
    }
    const writer = await start({ append, ping, patienceMs: 20 })
    const events = eventsOf(10)
    expect((await writer.append(events)).size).toBe(10)
    isSlow = false
    release()
    await Promise.all(late)
    await expect.poll(() => writer.isBehind()).toBe(false)
    expect(await stored()).toEqual(idsOf(events))
    expect(await total()).toBe(10)
  })

  it('are written by one process and replayed by another, without a loss', async () => {
    isAway = true
    const writer = await start()
    const other = spoolOf()
    const write = embeddedEventWriter(store)
    const events = eventsOf(600)
    let isWriting = true
    const written = (async () => {
      for (let at = 0; at < events.length; at += 3) {
        const send = (): Promise<unknown> => writer.append(events.slice(at, at + 3)).catch(send)
        await send()
      }
      isWriting = false
    })()
    const take = async ({ events: some }: { readonly events: readonly EmbeddedEvent[] }): Promise<'taken'> => {
      if (some.length > 0) await write([...new Map(some.map((event) => [event.eventId, event])).values()])
      return 'taken'
    }
    for (; isWriting; await sleep(10)) await other.drain(take)
    await written
    await other.drain(take)
    expect(await stored()).toEqual(idsOf(events))
    expect(await total()).toBe(events.length)
  })
})
