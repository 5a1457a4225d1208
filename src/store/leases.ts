import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db, Store, TransactionOptions } from './database.ts'
import type { Tables } from './tables.ts'

/*
 * A lease is the right to work on a row until a moment. Processes take it by compare-and-set: the update names every value that was read, so of
 * several processes that read the same row one takes it. The row then says another token (or another moment), and what a process writes
 * about its work is written only while the row still says its own. When a process dies, the moment passes and the row is taken again.
 */

type Row<T extends keyof Tables> = Selectable<Tables[T]>

/** What an update of a row compares: its key, and every value that decides whether it is still as it was read. Null compares as `is null`. */
type Seen<T extends keyof Tables> = Partial<Row<T>>

/** For updates by compare-and-set: what other transactions do meanwhile needs no other guard. */
const COMPARE_AND_SET: TransactionOptions = { isolation: 'read-committed' }

/** The moment at which a lease that begins `now` ends, ISO 8601 UTC. Negative milliseconds: a moment before. */
export function later(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString()
}

/**
 * Takes rows that were read in one transaction: `take` claims one under a fresh token and answers undefined when another process was faster.
 * Answers those that were taken.
 */
export async function takeLeases<R, Taken>(
  store: Store,
  due: readonly R[],
  take: (tx: Db, row: R, lease: string) => Promise<Taken | undefined>,
  options: Pick<TransactionOptions, 'durability'> = {},
): Promise<Taken[]> {
  if (due.length === 0) return []
  return store.transaction(
    async (tx) => {
      const taken: Taken[] = []
      for (const row of due) {
        const one = await take(tx, row, randomUUID())
        if (one !== undefined) taken.push(one)
      }
      return taken
    },
    { ...COMPARE_AND_SET, ...options },
  )
}

/** Changes the row that still has all values of `seen` and answers it; undefined: it is no longer so, or gone. */
export async function takeRow<T extends keyof Tables>(
  tx: Db,
  table: T,
  seen: Seen<T>,
  change: Partial<Row<T>>,
): Promise<Row<T> | undefined> {
  // The columns are those of the table: the types of the arguments say so.
  return (await unchangedRow(tx, table, seen, change).returningAll().executeTakeFirst()) as Row<T> | undefined
}

/** Changes the row that still has all values of `seen`. False: it is no longer so, or gone; a lease in `seen` was lost. */
export async function changeRow<T extends keyof Tables>(
  tx: Db,
  table: T,
  seen: Seen<T>,
  change: Partial<Row<T>>,
): Promise<boolean> {
  const { numUpdatedRows } = await unchangedRow(tx, table, seen, change).executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Kysely resolves the columns of a table only where its name is a literal. */
type AnyTable = Kysely<{ row: Record<string, unknown> }>

function unchangedRow<T extends keyof Tables>(tx: Db, table: T, seen: Seen<T>, change: Partial<Row<T>>) {
  const update = (tx as unknown as AnyTable).updateTable(table as 'row').set(change)
  return Object.entries(seen).reduce((query, [column, value]) => query.where(column, value === null ? 'is' : '=', value), update)
}

/** Columns of a row that a process holds by its name: many rows are taken by one statement. */
export function leasedTo(owner: string, now: Date, leaseMs: number) {
  return { lease_owner: owner, lease_until: later(now, leaseMs) }
}

/** The same columns when nobody holds the row. */
export const NOT_LEASED = { lease_owner: null, lease_until: null } as const

/** That nobody holds a row with these columns now. On PostgreSQL another process may be faster between a read and an update: both say it. */
export function unleased(table: 'directory_documents' | 'directory_publishers' | 'registry_agents', now: Date) {
  const until = sql.ref(`${table}.lease_until`)
  return sql<SqlBool>`(${until} is null or ${until} < ${now.toISOString()})`
}
