import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddedEvent } from '../../store/embedded/events.ts'
import type { EventSpool } from '../../store/embedded/spool/event-spool.ts'
import type { EventWriter } from './event-log.ts'
import { type EventResult, segmentReplay } from './replay-segment.ts'

/** The store was away: events were kept in the spool meanwhile, or refused when it was full. */
export interface Outage {
  readonly since: Date
  /** Events by publisher. */
  readonly spooled: ReadonlyMap<string, number>
  readonly refused: ReadonlyMap<string, number>
}

export interface DurableEventParts {
  /** Writes to the store in one transaction; gives the ids that it did not have. */
  readonly append: EventWriter['append']
  /** Rejects while the store is away. */
  readonly ping: () => Promise<void>
  readonly spool: EventSpool
  /** Whether the spool holds events of an earlier process. */
  readonly isBehind: boolean
  readonly clock: () => Date
  readonly count?: ((result: EventResult, events: number) => void) | undefined
  /** The store is back; resolves when it knows of the outage. */
  readonly over?: ((outage: Outage, until: Date) => Promise<void>) | undefined
  readonly report: (fault: unknown, message: string) => void
  /** Where events are written, and what is counted of those that are: `the store` and `stored`. */
  readonly into?: string
  readonly written?: EventResult
  /** How long the store may take for a batch before its events go to the spool as well, in milliseconds. */
  readonly patienceMs?: number
}

/** Writes events to the store, and to the spool while the store is away. What is written twice counts once. */
export interface DurableEvents extends EventWriter {
  /** Since when the store is away; undefined while it answers. */
  awaySince(): Date | undefined
  /** A call of the store failed as it does when it is away: the next events go to the spool, until it answers. */
  failed(error: unknown): void
  /** Whether the store may lack events that were acknowledged here: its sums are too low. */
  isBehind(): boolean
  /** Why events go to the spool at the moment although the store answers; undefined while they do not. */
  fault(): string | undefined
  /** How long after it was acknowledged an event is in the sums of the store at the latest, as long as they are not behind, in milliseconds. */
  readonly countsWithinMs: number
  /** Looks up which events of this process are in the sums of the store. Called before they are read; rejects when the store does not answer. */
  settle(): Promise<void>
  /** Events of a publisher that were acknowledged here and that the sums of the store may lack, without those of bots. */
  uncounted(tenantId: string): readonly EmbeddedEvent[]
  close(): Promise<void>
}

const PATIENCE_MS = 2_000
/** How often a store that is away is asked whether it is back. */
const PROBE_MS = 250
/** How often the folder is looked into for what a process that died has left. */
const LOOK_MS = 10_000
/** Ids of events in the spool, by which repeats are known without writing them again; beyond them the store finds the repeats. */
const MOST_KNOWN = 200_000

/** Starts the upkeep of the spool at once: what an earlier process left is replayed. */
export function createDurableEvents(parts: DurableEventParts): DurableEvents {
  return new StoreOrSpool(parts)
}

class StoreOrSpool implements DurableEvents {
  /** What was acknowledged is in the sums, or the spool holds some of it. */
  readonly countsWithinMs = 0
  readonly #parts: DurableEventParts
  #away: { since: Date; spooled: Map<string, number>; refused: Map<string, number> } | undefined
  #isBehind: boolean
  #isReplaying = false
  #spooledBatches = 0
  readonly #inSpool = new Set<string>()
  readonly #ending = new AbortController()
  readonly #upkeep: Promise<void>

  constructor(parts: DurableEventParts) {
    this.#parts = parts
    this.#isBehind = parts.isBehind
    this.#upkeep = this.#run()
  }

  awaySince(): Date | undefined {
    return this.#away?.since
  }

  fault(): undefined {}

  async settle(): Promise<void> {}

  uncounted(): readonly EmbeddedEvent[] {
    return []
  }

  isBehind(): boolean {
    return this.#isBehind || this.#isReplaying
  }

  failed(error: unknown): void {
    if (this.#away) return
    const { into = 'the store', report } = this.#parts
    report(error, `${into} does not answer: events of ads are kept in the spool until it does`)
    this.#away = { since: this.#parts.clock(), spooled: new Map(), refused: new Map() }
    this.#isBehind = true
    this.#wake()
  }

  async append(events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> {
    const unknown = this.#inSpool.size === 0 ? events : events.filter(({ eventId }) => !this.#inSpool.has(eventId))
    if (unknown.length === 0) return new Set()
    if (!this.#away) {
      try {
        const fresh = await this.#inTime(this.#parts.append(unknown))
        this.#parts.count?.(this.#parts.written ?? 'stored', fresh.size)
        return fresh
      } catch (error) {
        this.failed(error)
      }
    }
    return this.#keep(unknown)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    this.#wake()
    await this.#upkeep
    await this.#parts.spool.close()
  }

  async #keep(events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> {
    try {
      await this.#parts.spool.append(events)
    } catch (error) {
      this.#parts.count?.('refused', events.length)
      if (this.#away) addByTenant(this.#away.refused, events)
      throw error
    }
    this.#spooledBatches += 1
    this.#isBehind = true
    this.#parts.count?.('spooled', events.length)
    if (this.#away) addByTenant(this.#away.spooled, events)
    else this.#wake()
    for (const { eventId } of events) if (this.#inSpool.size < MOST_KNOWN) this.#inSpool.add(eventId)
    return new Set(events.map(({ eventId }) => eventId))
  }

  /** The result of a write, or an error when it takes too long; it may be done all the same. */
  async #inTime<T>(write: Promise<T>): Promise<T> {
    const { patienceMs = PATIENCE_MS, into = 'the store' } = this.#parts
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${into} took longer than ${patienceMs} ms`)), patienceMs)
    })
    try {
      return await Promise.race([write, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the present pause of the upkeep. */
  #wake: () => void = () => {}

  /** Asks a store that is away whether it is back, and brings it what is in the spool: at the start, after an outage, and what others left. */
  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        if (this.#away) await this.#return()
        else await this.#replay()
      } catch (error) {
        this.failed(error)
      }
      if (this.#ending.signal.aborted) return
      await this.#pause(this.#away || this.#isBehind ? PROBE_MS : LOOK_MS)
    }
  }

  async #pause(ms: number): Promise<void> {
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    await sleep(ms, undefined, { ref: false, signal: waking.signal }).catch(() => {})
    this.#wake = () => {}
  }

  async #return(): Promise<void> {
    const outage = this.#away
    try {
      await this.#parts.ping()
    } catch {
      return
    }
    if (!outage) return
    // Events go to the store again at once: the order of events does not matter to their sums.
    this.#away = undefined
    await this.#replay()
    await this.#parts
      .over?.(outage, this.#parts.clock())
      .catch((error: unknown) => this.#parts.report(error, 'an outage was not noted'))
  }

  async #replay(): Promise<void> {
    const { spool, append, ping, clock, count, report } = this.#parts
    const known = [...this.#inSpool]
    const replay = segmentReplay({ append, ping, clock, count, report })
    const before = this.#spooledBatches
    try {
      const othersWork = await spool.drain((content, segment) => {
        this.#isReplaying = true
        return replay(content, segment)
      })
      // A batch that was spooled meanwhile may be in a segment that was not there yet.
      this.#isBehind = othersWork || this.#spooledBatches > before
    } catch (error) {
      this.#isBehind = true
      throw error
    } finally {
      this.#isReplaying = false
    }
    for (const eventId of known) this.#inSpool.delete(eventId)
  }
}

function addByTenant(counts: Map<string, number>, events: readonly EmbeddedEvent[]): void {
  for (const { tenantId } of events) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
}
