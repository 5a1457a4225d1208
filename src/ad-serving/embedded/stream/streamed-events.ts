import type { Store } from '../../../store/database.ts'
import type { EmbeddedEvent } from '../../../store/embedded/events.ts'
import { listLogPositions } from '../../../store/embedded/log-positions.ts'
import { encodeEvents } from '../../../store/embedded/spool/segment.ts'
import { createDurableEvents, type DurableEventParts, type DurableEvents } from '../durable-events.ts'
import type { StreamPlace, StreamShape, StreamWriter } from './event-stream.ts'

/**
 * How far the sums of the store may be behind the log, in milliseconds. Beyond it lines with a frequency cap stay silent and pacing goes on with what this process saw:
 * places of capped decisions are held for as much longer (`countsWithinMs`).
 */
export const MOST_LAG_MS = 60_000
/** Events of this process that are in the log and not counted yet, which are added to the sums of the store: with more of them the sums are not read. */
const MOST_UNCOUNTED = 200_000
/** After a failure the store is not asked for so long. */
const STORE_PAUSE_MS = 1_000

export interface StreamedEventParts extends Omit<DurableEventParts, 'append' | 'ping' | 'into' | 'written'> {
  readonly store: Store
  readonly writer: StreamWriter
}

/** Events go to a log outside the store, and to the spool while that is away. Other processes count them. */
export function createStreamedEvents(parts: StreamedEventParts): DurableEvents {
  return new StreamedEvents(parts)
}

class StreamedEvents implements DurableEvents {
  readonly countsWithinMs = MOST_LAG_MS
  readonly #parts: StreamedEventParts
  readonly #durable: DurableEvents
  readonly #uncounted = new Map<string, StreamPlace & { readonly event: EmbeddedEvent }>()
  #completeUntil = new Date(0)
  #storeFailedAt = Number.NEGATIVE_INFINITY

  constructor(parts: StreamedEventParts) {
    this.#parts = parts
    const { writer } = parts
    this.#durable = createDurableEvents({
      ...parts,
      ...{ into: 'the log of ad events', written: 'logged' },
      append: (events) => this.#write(events),
      ping: () => writer.ping(),
    })
  }

  append(events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> {
    const unknown = this.#uncounted.size === 0 ? events : events.filter(({ eventId }) => !this.#uncounted.has(eventId))
    return unknown.length === 0 ? Promise.resolve(new Set()) : this.#durable.append(unknown)
  }

  awaySince(): Date | undefined {
    return performance.now() - this.#storeFailedAt < STORE_PAUSE_MS ? this.#parts.clock() : undefined
  }

  /** The store failed, which takes no events here: the log goes on. */
  failed(error: unknown): void {
    const isNew = this.awaySince() === undefined
    this.#storeFailedAt = performance.now()
    if (isNew) this.#parts.report(error, 'the store does not answer: ads are decided from memory until it does')
  }

  fault(): string | undefined {
    const since = this.#durable.awaySince()
    return since && `the log of ad events does not answer since ${since.toISOString()}: events go to the spool`
  }

  isBehind(): boolean {
    const lagMs = this.#parts.clock().getTime() - this.#completeUntil.getTime()
    const lacks = lagMs > MOST_LAG_MS || this.#uncounted.size >= MOST_UNCOUNTED
    return lacks || this.awaySince() !== undefined || this.#durable.isBehind()
  }

  async settle(): Promise<void> {
    // What is in the spool is not in the log: which partitions there are is asked when it is.
    const shape = await this.#parts.writer.shape().catch(() => undefined)
    if (shape === undefined) return
    const positions = await listLogPositions(this.#parts.store.read, shape.logId)
    const next = new Map(positions.map(({ partition, nextOffset }) => [partition, nextOffset]))
    for (const [eventId, { partition, offset }] of this.#uncounted)
      if (offset < (next.get(partition) ?? 0)) this.#uncounted.delete(eventId)
    this.#completeUntil = completeUntil(positions, shape)
  }

  uncounted(tenantId: string): readonly EmbeddedEvent[] {
    return [...this.#uncounted.values()].map(({ event }) => event).filter((event) => event.tenantId === tenantId && !event.isBot)
  }

  async close(): Promise<void> {
    await this.#durable.close()
    await this.#parts.writer.close()
  }

  async #write(events: readonly EmbeddedEvent[]): Promise<ReadonlySet<string>> {
    const places = await this.#parts.writer.append(events.map(recordOf))
    for (const [index, event] of events.entries()) {
      const place = places[index]
      if (place && this.#uncounted.size < MOST_UNCOUNTED) this.#uncounted.set(event.eventId, { ...place, event })
    }
    return new Set(events.map(({ eventId }) => eventId))
  }
}

/** All events of a line are in one partition: their sums have one writer, and a repetition comes after its first. */
function recordOf(event: EmbeddedEvent) {
  return { key: `${event.tenantId}/${event.lineId}`, value: encodeEvents([event]) }
}

/** What came to the log before this time is in the sums of the store, in every partition; 1970 while one of them was never counted. */
export function completeUntil(
  positions: readonly { readonly completeUntil: Date }[],
  { partitions }: Pick<StreamShape, 'partitions'>,
): Date {
  return positions.length < partitions
    ? new Date(0)
    : new Date(Math.min(...positions.map(({ completeUntil: until }) => until.getTime())))
}
