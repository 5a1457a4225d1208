import { type RawBuilder, sql } from 'kysely'
import type { PageOfSize } from './page-size.ts'

/** Where a page in order of creation ends: the moment and the id of its last row, as {@link endOfPage} gives it. */
export type CreationPosition = string

/** The columns of the order: when a row was made, and its id. */
interface Columns {
  readonly createdAt: string
  readonly id: string
}

/** The condition of rows after a position. */
export function createdAfter({ createdAt, id }: Columns, after: CreationPosition): RawBuilder<boolean> {
  const [moment = '', key = ''] = after.split(' ')
  const [made, name] = [sql.ref(createdAt), sql.ref(id)]
  return sql<boolean>`(${made} > ${moment} or (${made} = ${moment} and ${name} > ${key}))`
}

/** Where a page ends when there are more rows. */
export function endOfPage<R extends { readonly created_at: string }>(
  { rows, isCut }: PageOfSize<R>,
  idOf: (row: R) => string,
): CreationPosition | undefined {
  const last = rows.at(-1)
  return last && isCut ? `${last.created_at} ${idOf(last)}` : undefined
}
