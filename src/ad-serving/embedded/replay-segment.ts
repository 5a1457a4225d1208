import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { type EmbeddedEvent, EVENT_LOG_DAYS } from '../../store/embedded/events.ts'
import type { SegmentContent } from '../../store/embedded/spool/segment.ts'
import type { EventWriter } from './event-log.ts'

/**
 * What becomes of events. `logged` ones are in a log outside the store, from which they are `counted`; `repeated` ones were counted before. `stored` and `replayed` ones are in the store, `spooled` ones will be. `refused`: the spool is full, and their senders know. `damaged`: records of
 * the spool that could not be read. `expired`: older than the log of the store, which could not tell whether it had counted them. `rejected`: the store does not take them.
 */
export type EventResult =
  | 'logged'
  | 'counted'
  | 'repeated'
  | 'stored'
  | 'spooled'
  | 'replayed'
  | 'refused'
  | 'damaged'
  | 'expired'
  | 'rejected'

export interface ReplayParts {
  readonly append: EventWriter['append']
  /** Rejects while the store is away. */
  readonly ping: () => Promise<void>
  readonly clock: () => Date
  readonly count?: ((result: EventResult, events: number) => void) | undefined
  readonly report: (fault: unknown, message: string) => void
}

/** Events of one transaction. */
const BATCH = 2_000
/** A single event that a store refuses this often, while it answers, is one that it does not take. */
const ATTEMPTS = 5
const PAUSE_MS = 100

/**
 * Brings the events of a segment to the store. Rejects when the store is away. A store that answers and does not take a batch gets its halves, down to the event that is at
 * fault: `refused` when there is one; all others are in the store.
 */
export function segmentReplay({ append, ping, clock, count, report }: ReplayParts) {
  const storeOne = async (events: readonly EmbeddedEvent[], segment: string): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        // Before the call, whose arguments are not evaluated where nothing counts.
        const { size } = await append(events)
        count?.('replayed', size)
        return true
      } catch (error) {
        await ping().catch(() => {
          throw error
        })
        if (events.length > 1) return false
        if (attempt < ATTEMPTS) {
          await sleep(PAUSE_MS)
          continue
        }
        count?.('rejected', 1)
        report(
          error,
          `the store does not take event ${events[0]?.eventId} of segment ${segment} of the spool: the segment is set aside`,
        )
        return false
      }
    }
  }
  const store = async (events: readonly EmbeddedEvent[], segment: string): Promise<boolean> => {
    if (await storeOne(events, segment)) return true
    if (events.length === 1) return false
    const half = Math.ceil(events.length / 2)
    const first = await store(events.slice(0, half), segment)
    return (await store(events.slice(half), segment)) && first
  }
  return async ({ events, damaged, tornBytes }: SegmentContent, segment: string): Promise<'taken' | 'refused'> => {
    if (damaged > 0) {
      count?.('damaged', damaged)
      report({ segment, damaged }, 'the spool of events has damaged records, which are lost; the rest is replayed')
    }
    if (tornBytes > 0)
      report({ segment, tornBytes }, 'the spool of events ends in a write that was cut off, which nobody was told is kept')
    const oldest = new Date(clock().getTime() - EVENT_LOG_DAYS * DAY_MS).toISOString()
    const countable = events.filter(({ happenedAt }) => happenedAt >= oldest)
    if (countable.length < events.length) count?.('expired', events.length - countable.length)
    let isTaken = true
    for (let at = 0; at < countable.length; at += BATCH)
      isTaken = (await store(uniqueEvents(countable.slice(at, at + BATCH)), segment)) && isTaken
    return isTaken ? 'taken' : 'refused'
  }
}

/** The events without repetitions. */
export function uniqueEvents(events: readonly EmbeddedEvent[]): EmbeddedEvent[] {
  return [...new Map(events.map((event) => [event.eventId, event])).values()]
}
