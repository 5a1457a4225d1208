import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS } from '../../../domain/calendar/instant.ts'
import { type EmbeddedEvent, EVENT_LOG_DAYS } from '../../../store/embedded/events.ts'
import { type LogMove, PartitionTaken } from '../../../store/embedded/log-positions.ts'
import { decodeSegment } from '../../../store/embedded/spool/segment.ts'
import { type EventResult, uniqueEvents } from '../replay-segment.ts'
import type { StreamSlice } from './event-stream.ts'

/** A partition of this process: what of it is counted. */
export interface OwnPosition {
  readonly epoch: number
  nextOffset: number
  /** What came to the log before this time is counted. */
  completeUntil: Date
}

export interface SliceParts {
  /** Counts events and moves the positions in one transaction; gives the ids that were new. Throws PartitionTaken. */
  readonly write: (events: readonly EmbeddedEvent[], moves: readonly LogMove[]) => Promise<ReadonlySet<string>>
  /** Rejects while the store is away. */
  readonly ping: () => Promise<void>
  readonly clock: () => Date
  readonly count?: ((result: EventResult, events: number) => void) | undefined
  readonly report: (fault: unknown, message: string) => void
}

/** A record of the log, as it is counted: without an event when it is none, or too old for the store to know repeats of it. */
interface Entry {
  readonly partition: number
  readonly offset: number
  readonly appendedAt: Date
  readonly event: EmbeddedEvent | undefined
}

/** A single event that the store refuses this often, while it answers, is one that it does not take. */
const ATTEMPTS = 5
const PAUSE_MS = 100

/**
 * Counts what was read of the partitions of this process (`own`, which moves on) into the store: all of it in one transaction. What the store refuses while it answers is
 * split, down to the event that is at fault, which is passed over. `readAt`: when it was read. Rejects when the store is away; with PartitionTaken when a
 * partition is another process's by now.
 */
export function sliceCounter({ write, ping, clock, count, report }: SliceParts) {
  const moved = (own: Map<number, OwnPosition>, slices: readonly StreamSlice[], entries: readonly Entry[], readAt: Date) => {
    const ends = new Map(slices.map(({ partition, end }) => [partition, end]))
    const last = new Map(entries.map((entry) => [entry.partition, entry]))
    return [...last].flatMap(([partition, { offset, appendedAt }]): LogMove[] => {
      const position = own.get(partition)
      if (!position) return []
      const isAll = offset + 1 >= (ends.get(partition) ?? 0)
      const completeUntil = isAll || appendedAt > readAt ? readAt : appendedAt
      return [{ partition, epoch: position.epoch, from: position.nextOffset, to: offset + 1, completeUntil }]
    })
  }
  const note = (entries: readonly Entry[], fresh: ReadonlySet<string>) => {
    const events = entries.filter(({ event }) => event !== undefined).length
    count?.('counted', fresh.size)
    if (events > fresh.size) count?.('repeated', events - fresh.size)
  }
  const store = async (
    own: Map<number, OwnPosition>,
    slices: readonly StreamSlice[],
    entries: readonly Entry[],
    readAt: Date,
  ): Promise<void> => {
    const events = uniqueEvents(entries.flatMap(({ event }) => event ?? []))
    for (let attempt = 1; ; attempt++) {
      const moves = moved(own, slices, entries, readAt)
      try {
        note(entries, await write(attempt <= ATTEMPTS ? events : [], moves))
        for (const { partition, epoch, to, completeUntil } of moves) own.set(partition, { epoch, nextOffset: to, completeUntil })
        return
      } catch (error) {
        if (error instanceof PartitionTaken) throw error
        await ping().catch(() => {
          throw error
        })
        if (entries.length > 1) {
          const half = Math.ceil(entries.length / 2)
          await store(own, slices, entries.slice(0, half), readAt)
          return store(own, slices, entries.slice(half), readAt)
        }
        if (attempt > ATTEMPTS) throw error
        if (attempt < ATTEMPTS) {
          await sleep(PAUSE_MS)
          continue
        }
        const [entry] = entries
        count?.('rejected', 1)
        report(
          error,
          `the store does not take event ${entry?.event?.eventId}: offset ${entry?.offset} of partition ${entry?.partition} of the log is passed over`,
        )
      }
    }
  }
  return async (own: Map<number, OwnPosition>, slices: readonly StreamSlice[], readAt: Date): Promise<void> => {
    const oldest = new Date(clock().getTime() - EVENT_LOG_DAYS * DAY_MS).toISOString()
    const entries = slices.flatMap(({ partition, records }) =>
      records.map(({ offset, appendedAt, value }): Entry => {
        const [event] = decodeSegment(value).events
        if (!event) {
          count?.('damaged', 1)
          report({ partition, offset }, 'a record of the log of ad events is none that this program wrote: it is passed over')
        } else if (event.happenedAt < oldest) count?.('expired', 1)
        return { partition, offset, appendedAt, event: event && event.happenedAt >= oldest ? event : undefined }
      }),
    )
    if (entries.length > 0) await store(own, slices, entries, readAt)
  }
}
