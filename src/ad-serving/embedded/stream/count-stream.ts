import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../../store/database.ts'
import { embeddedEventWriter } from '../../../store/embedded/events.ts'
import { type LogMove, moveLogPositions, PartitionTaken, takeLogPartitions } from '../../../store/embedded/log-positions.ts'
import { type OwnPosition, type SliceParts, sliceCounter } from './count-slices.ts'
import { type StreamMember, StreamOutOfRange, type StreamReader, type StreamSlice } from './event-stream.ts'

export interface StreamCounterParts extends Pick<SliceParts, 'clock' | 'count' | 'report'> {
  readonly store: Store
  readonly reader: StreamReader
  /** Name of this process, for people. */
  readonly owner: string
}

/** A process that counts a log into the store, with others. */
export interface StreamCounter {
  /** Partitions of this process, events in them that are not counted yet, as far as it knows, and how long they have been there at most. */
  lag(): { readonly partitions: number; readonly events: number; readonly seconds: number }
  /** Why nothing is counted at the moment; undefined while it goes on. */
  fault(): string | undefined
  /** Finishes the transaction that runs, and leaves the others. */
  close(): Promise<void>
}

const PAUSE_MS = 500
/** A process without partitions looks this often whether it was given some. */
const LOOK_MS = 200
/** How often a process that has counted everything says so. */
const IDLE_MS = 5_000

/** Starts counting. What fails is tried again from where the store is: what was counted and what was not is known there alone. */
export function startStreamCounter(parts: StreamCounterParts): StreamCounter {
  const { store, reader, owner, clock, report } = parts
  const ending = new AbortController()
  const ends = new Map<number, number>()
  let own = new Map<number, OwnPosition>()
  let fault: string | undefined = 'the log was not reached yet'
  let saidAt = Number.NEGATIVE_INFINITY

  const writeIn = (logId: string) => (events: Parameters<SliceParts['write']>[0], moves: readonly LogMove[]) =>
    embeddedEventWriter(store, (tx) => moveLogPositions(tx, logId, moves))(events)

  /** Takes what was given to this process, and forgets what was taken from it. */
  const settle = async (member: StreamMember): Promise<void> => {
    const assigned = await member.assigned()
    for (const partition of own.keys()) if (!assigned.includes(partition)) own.delete(partition)
    for (const partition of ends.keys()) if (!assigned.includes(partition)) ends.delete(partition)
    const partitions = assigned.filter((partition) => !own.has(partition))
    if (partitions.length === 0) return
    const taking = { logId: member.logId, partitions, owner }
    const taken = await store.transaction((tx) => takeLogPartitions(tx, taking), { isolation: 'read-committed' })
    for (const { partition, ...position } of taken) own.set(partition, position)
  }

  /** Positions that the log does not have: dropped ones are lost, ones after its end are from before it lost its end. Both go on at its beginning; what is read again counts once. */
  const mend = async (member: StreamMember): Promise<void> => {
    for (const [partition, { first, end }] of await member.bounds([...own.keys()])) {
      const position = own.get(partition)
      if (!position || (position.nextOffset >= first && position.nextOffset <= end)) continue
      const { epoch, nextOffset: from } = position
      const lost = Math.max(0, first - from)
      report(
        { partition, offset: from, first, end, lost },
        lost > 0
          ? 'the log of ad events dropped events before they were counted: they are lost'
          : 'the log of ad events ends before what was counted of it: it lost its end, and is read again from its beginning',
      )
      const move: LogMove = { partition, epoch, from, to: first, completeUntil: new Date(0), lost }
      await store.transaction((tx) => moveLogPositions(tx, member.logId, [move]), { isolation: 'read-committed' })
      own.set(partition, { epoch, nextOffset: first, completeUntil: move.completeUntil })
    }
  }

  /** Says in the store up to when partitions with nothing more to count are complete. */
  const sayComplete = async ({ logId }: StreamMember, slices: readonly StreamSlice[], readAt: Date): Promise<void> => {
    if (performance.now() - saidAt < IDLE_MS) return
    const moves = slices.flatMap(({ partition, end }): LogMove[] => {
      const position = own.get(partition)
      if (!position || position.nextOffset < end) return []
      return [{ partition, epoch: position.epoch, from: position.nextOffset, to: position.nextOffset, completeUntil: readAt }]
    })
    if (moves.length > 0) await store.transaction((tx) => moveLogPositions(tx, logId, moves), { isolation: 'read-committed' })
    saidAt = performance.now()
  }

  const countOf = async (member: StreamMember): Promise<void> => {
    const count = sliceCounter({ ...parts, write: writeIn(member.logId), ping: () => store.ping() })
    while (!ending.signal.aborted) {
      await settle(member)
      fault = undefined
      if (own.size === 0) {
        await sleep(LOOK_MS, undefined, { signal: ending.signal }).catch(() => {})
        continue
      }
      const readAt = clock()
      const positions = new Map([...own].map(([partition, { nextOffset }]) => [partition, nextOffset]))
      try {
        const slices = await member.read(positions)
        for (const { partition, end } of slices) ends.set(partition, end)
        await count(own, slices, readAt)
        for (const { partition, end } of slices) {
          const position = own.get(partition)
          if (position && position.nextOffset >= end) position.completeUntil = readAt
        }
        await sayComplete(member, slices, readAt)
      } catch (error) {
        if (error instanceof StreamOutOfRange) await mend(member)
        else if (error instanceof PartitionTaken) own.delete(error.partition)
        else throw error
      }
    }
  }

  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      let member: StreamMember | undefined
      try {
        member = await reader.join()
        await countOf(member)
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        // One line for an outage, not one for each try.
        if (fault === undefined || fault !== text) report(error, 'counting the log of ad events failed; it is tried again')
        fault = text
      } finally {
        own = new Map()
        await member?.close()
      }
      await sleep(PAUSE_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    lag: () => ({
      partitions: own.size,
      seconds: Math.max(0, ...[...own.values()].map(({ completeUntil }) => (clock().getTime() - completeUntil.getTime()) / 1000)),
      events: [...ends].reduce((sum, [partition, end]) => sum + Math.max(0, end - (own.get(partition)?.nextOffset ?? end)), 0),
    }),
    fault: () => fault,
    async close() {
      ending.abort()
      await running
    },
  }
}
