import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../src/store/database.ts'
import type { Tables } from '../../../src/store/tables.ts'

/** Values of one statement: PostgreSQL takes at most 65,535, SQLite 32,766. */
const MAX_VALUES = 30_000

/** What a copy has in place of the value of the model. */
export type Differences = Readonly<Record<string, string | number>>

/**
 * Writes copies of a row: the columns of `differences` as given, all others as the model has them. The values that all copies share are sent once a statement: to name them
 * for each row takes longer than to write the row.
 */
export async function insertCopies(
  tx: Db,
  table: keyof Tables,
  model: Readonly<Record<string, unknown>>,
  differences: readonly Differences[],
): Promise<void> {
  const changed = Object.keys(differences[0] ?? {})
  const shared = Object.keys(model).filter((name) => !changed.includes(name))
  const size = Math.floor((MAX_VALUES - shared.length) / Math.max(1, changed.length))
  const columns = [...shared, ...changed].map((name) => sql.ref(name))
  const values = [
    ...shared.map((name) => sharedValue(model[name])),
    ...changed.map((name, n) => copiedValue(differences[0]?.[name], `v.column${n + 1}`)),
  ]
  for (let at = 0; at < differences.length; at += size) {
    const rows = differences.slice(at, at + size).map((row) => sql`(${sql.join(changed.map((name) => row[name]))})`)
    await sql`insert into ${sql.table(table)} (${sql.join(columns)})
      select ${sql.join(values)} from (values ${sql.join(rows)}) as v`.execute(tx)
  }
}

function copiedValue(example: unknown, column: string): RawBuilder<unknown> {
  return typeof example === 'number' ? sql`cast(${sql.ref(column)} as bigint)` : sql.ref(column)
}

/** PostgreSQL has to know the type of a selected value. */
function sharedValue(value: unknown): RawBuilder<unknown> {
  if (typeof value === 'number') return sql`cast(${value} as bigint)`
  return value === null ? sql`null` : sql`cast(${value} as text)`
}
