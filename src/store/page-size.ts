import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'

/** Bytes of documents that are read at once, unless the first alone has more: some ten milliseconds of the main thread. */
export const PAGE_BYTES = 1_000_000

/** The bytes of text columns, which SQLite does not read for it. */
export function bytesOf(...columns: readonly string[]): RawBuilder<number | string> {
  const each = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  return sql<number | string>`(${sql.join(each, sql` + `)})`
}

/** How many of the first rows have no more than {@link PAGE_BYTES} in all; one at least. PostgreSQL gives sums as texts. */
export function fittingRows(bytes: readonly (number | string)[]): number {
  let sum = 0
  const over = bytes.findIndex((size, index) => {
    sum += Number(size)
    return index > 0 && sum > PAGE_BYTES
  })
  return over === -1 ? bytes.length : over
}

/** Rows in parts, in their order: none has more than {@link PAGE_BYTES}, unless its only row has. */
export function partsOfSize<Row>(rows: readonly Row[], bytesOfRow: (row: Row) => number): readonly (readonly Row[])[] {
  const parts: Row[][] = []
  let sum = Number.POSITIVE_INFINITY
  for (const row of rows) {
    const bytes = bytesOfRow(row)
    sum += bytes
    if (sum > PAGE_BYTES) {
      parts.push([])
      sum = bytes
    }
    parts.at(-1)?.push(row)
  }
  return parts
}

/** Runs a statement for each part of rows, as {@link partsOfSize} gives them, with a turn for others between two. */
export async function forEachPart<Row>(
  rows: readonly Row[],
  bytesOfRow: (row: Row) => number,
  run: (part: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (const [index, part] of partsOfSize(rows, bytesOfRow).entries()) {
    if (index > 0) await yieldToEventLoop()
    await run(part)
  }
}

/** A page of rows. */
export interface PageOfSize<Row> {
  readonly rows: readonly Row[]
  /** Whether there are more. */
  readonly isCut: boolean
}

/** The first of ordered rows, `limit` at most, and no more than {@link PAGE_BYTES} of their documents, which are in `columns`; one at least. */
export async function pageOfSize<DB, TB extends keyof DB, O>(
  ordered: SelectQueryBuilder<DB, TB, O>,
  columns: readonly string[],
  limit: number,
): Promise<PageOfSize<O>> {
  const sizes = await ordered
    .clearSelect()
    .select(bytesOf(...columns).as('bytes'))
    .$castTo<{ readonly bytes: number | string }>()
    .limit(limit + 1)
    .execute()
  const fitting = Math.min(limit, fittingRows(sizes.map(({ bytes }) => bytes)))
  const rows = fitting === 0 ? [] : await ordered.limit(fitting).execute()
  return { rows, isCut: sizes.length > fitting }
}
