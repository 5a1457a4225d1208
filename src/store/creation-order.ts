import { type RawBuilder, sql } from 'kysely'

/** Where a page in order of creation ends: the moment and the id of its last row, as {@link creationPage} gives it. */
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

/** A page of `limit` of the rows that were read, one more than it at most, and where it ends when there are more. */
export function creationPage<R extends { readonly created_at: string }>(
  rows: readonly R[],
  limit: number,
  idOf: (row: R) => string,
): { readonly shown: readonly R[]; readonly after: CreationPosition | undefined } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { shown, after: last && rows.length > limit ? `${last.created_at} ${idOf(last)}` : undefined }
}
