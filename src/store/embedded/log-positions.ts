import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { EmbeddedTables } from './rows.ts'

/** A partition of the log of ad events. */
export interface LogPartition {
  /** Of the log, as the system that keeps it gives it: one that is made anew under the same name has another id. */
  readonly logId: string
  readonly partition: number
}

/** How far a partition is counted into the store. */
export interface LogPosition extends LogPartition {
  /** The first offset that is not counted. */
  readonly nextOffset: number
  readonly epoch: number
  readonly owner: string
  /** What came to the log before this time is counted. */
  readonly completeUntil: Date
  /** Offsets that the log dropped before they were counted. */
  readonly lost: number
}

/** Another process has taken the partition: what was to be counted is not, and is that process's to count. */
export class PartitionTaken extends Error {
  readonly partition: number

  constructor(partition: number) {
    super(`partition ${partition} of the log of ad events is counted by another process now`)
    this.name = 'PartitionTaken'
    this.partition = partition
  }
}

/** Takes partitions for a process: from now on every other process that had one fails to move it. Begins at 0 where nothing was counted. */
export async function takeLogPartitions(
  tx: Db,
  { logId, partitions, owner }: { readonly logId: string; readonly partitions: readonly number[]; readonly owner: string },
): Promise<LogPosition[]> {
  const taken: LogPosition[] = []
  for (const partition of partitions.toSorted((a, b) => a - b)) {
    const row = await tx
      .insertInto('ad_log_positions')
      .values({
        ...{ log_id: logId, partition, next_offset: 0, epoch: 1, owner },
        ...{ complete_until: new Date(0).toISOString(), lost: 0 },
      })
      .onConflict((c) =>
        c.columns(['log_id', 'partition']).doUpdateSet((e) => ({ epoch: e('ad_log_positions.epoch', '+', 1), owner })),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    taken.push(positionOf(row))
  }
  return taken
}

export interface LogMove extends Pick<LogPosition, 'partition' | 'epoch'> {
  /** Where the partition has to be, as this process knows it. */
  readonly from: number
  readonly to: number
  readonly completeUntil: Date
  /** Offsets between them that the log no longer has. */
  readonly lost?: number
}

/** Moves partitions on, in the transaction that counts what is between. Throws PartitionTaken when one is not where this process left it. */
export async function moveLogPositions(tx: Db, logId: string, moves: readonly LogMove[]): Promise<void> {
  for (const { partition, epoch, from, to, completeUntil, lost = 0 } of moves.toSorted((a, b) => a.partition - b.partition)) {
    const { numUpdatedRows } = await tx
      .updateTable('ad_log_positions')
      .set((e) => ({ next_offset: to, complete_until: completeUntil.toISOString(), lost: e('lost', '+', lost) }))
      .where('log_id', '=', logId)
      .where('partition', '=', partition)
      .where('epoch', '=', epoch)
      .where('next_offset', '=', from)
      .executeTakeFirst()
    if (Number(numUpdatedRows) !== 1) throw new PartitionTaken(partition)
  }
}

/** How far the partitions of a log are counted, by partition; those that no process ever took are missing. */
export async function listLogPositions(db: Db, logId: string): Promise<LogPosition[]> {
  const rows = await db.selectFrom('ad_log_positions').selectAll().where('log_id', '=', logId).execute()
  return rows.map(positionOf).sort((a, b) => a.partition - b.partition)
}

function positionOf(row: Selectable<EmbeddedTables['ad_log_positions']>): LogPosition {
  return {
    logId: row.log_id,
    partition: row.partition,
    nextOffset: Number(row.next_offset),
    epoch: row.epoch,
    owner: row.owner,
    completeUntil: new Date(row.complete_until),
    lost: Number(row.lost),
  }
}
