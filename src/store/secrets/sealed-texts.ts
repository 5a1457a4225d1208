import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Where sealed texts are. */
export interface TextColumn {
  readonly table: string
  readonly column: string
  /** The primary key. */
  readonly key: readonly string[]
  /** Columns to read beside the key. */
  readonly more: readonly string[]
  /** `whole`: the text is sealed; `within`: it holds sealed texts. */
  readonly form: 'whole' | 'within'
}

/** A row with a text; `cells`: its key and the columns beside it. */
export interface SealedText {
  readonly cells: Readonly<Record<string, string | number>>
  readonly text: string
}

/**
 * The next texts in the order of the key: those of the form `whole` that do not begin with `prefix`, those of the form `within` that hold something sealed.
 */
export async function listSealedTexts(
  db: Db,
  { table, column, key, more, form }: TextColumn,
  { prefix, after, limit }: { readonly prefix: string; readonly after: SealedText | undefined; readonly limit: number },
): Promise<readonly SealedText[]> {
  const text = sql.ref(column)
  const wanted =
    form === 'whole' ? sql`substr(${text}, 1, ${sql.lit(prefix.length)}) <> ${prefix}` : sql`${text} like ${'%sealed:v1.%'}`
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const position = after ? sql`and (${columns}) > (${sql.join(key.map((name) => after.cells[name]))})` : sql``
  const read = sql.join([...key, ...more].map((name) => sql.ref(name)))
  const { rows } = await sql<Record<string, string | number>>`select ${read}, ${text} as sealed_text from ${sql.table(table)}
    where ${text} is not null and ${wanted} ${position} order by ${columns} limit ${sql.lit(limit)}`.execute(db)
  return rows.map(({ sealed_text: found, ...cells }) => ({ cells, text: String(found) }))
}

/** Replaces a text unless it has changed since it was read. False when it has. */
export async function replaceSealedText(
  tx: Db,
  { table, column, key }: TextColumn,
  before: SealedText,
  text: string,
): Promise<boolean> {
  const same = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${before.cells[name]}`),
    sql` and `,
  )
  const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${text}
    where ${same} and ${sql.ref(column)} = ${before.text}`.execute(tx)
  return numAffectedRows === 1n
}
