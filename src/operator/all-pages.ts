import { AdcpError } from '../protocol/errors.ts'

interface Page<R> {
  readonly items: readonly R[]
  readonly next_cursor: string | null
}

/** All rows of a list by pages; `read` gives the first page for no cursor. Throws INVALID_REQUEST as soon as there are more than `most`. */
export async function allPages<R>(
  read: (cursor: string | undefined) => Promise<Page<R>>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<R[]> {
  const rows: R[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, next_cursor: next } = await read(cursor)
    rows.push(...items)
    if (rows.length > most)
      throw new AdcpError(
        'INVALID_REQUEST',
        `more than ${most.toLocaleString('en')} rows fit; narrow the filter, e.g. by days or a status`,
      )
    if (next === null) return rows
    cursor = next
  }
}
