import type { OrderPosition } from '../../store/media-buy/order-list.ts'

/** A row of a list and its place in it. */
export interface Placed<Row> {
  readonly position: OrderPosition
  readonly row: Row
}

/** What was read of a list. */
export interface ReadList<Row> {
  readonly rows: readonly Placed<Row>[]
  /** How far it was read, where there may be more of it. */
  readonly after: OrderPosition | undefined
}

/** A page of several lists, and where each of them goes on. */
export interface MergedPage<Row> {
  readonly rows: readonly Row[]
  /** By list; undefined: at its beginning. */
  readonly positions: readonly (OrderPosition | undefined)[]
  /** Whether there may be more. */
  readonly isMore: boolean
}

/**
 * Lists that are sorted by one value as one page of `limit` rows at most; of rows with the same value those of an earlier list come first. Only the values are compared: each
 * list keeps the order of ids that its database has. `begins`: where each list was read from.
 */
export function mergeLists<Row>(
  lists: readonly ReadList<Row>[],
  begins: readonly (OrderPosition | undefined)[],
  { descending, limit }: { readonly descending: boolean; readonly limit: number },
): MergedPage<Row> {
  const compare = (a: Place, b: Place) => (descending ? -1 : 1) * byValue(a, b) || a.list - b.list
  const placed = lists.flatMap(({ rows }, list) => rows.map(({ position, row }) => ({ value: position.value, list, row })))
  const ends = lists.flatMap(({ after }, list) => (after ? [{ value: after.value, list }] : []))
  // What was not read of a list comes before rows of others that are beyond its end.
  const ready = placed.filter((row) => ends.every((end) => compare(row, end) <= 0)).sort(compare)
  const shown = ready.slice(0, limit)
  const positions = lists.map(({ rows, after }, list) => {
    const count = shown.filter((row) => row.list === list).length
    const last = rows[count - 1]?.position ?? begins[list]
    return count === rows.length ? (after ?? last) : last
  })
  return { rows: shown.map(({ row }) => row), positions, isMore: shown.length < placed.length || ends.length > 0 }
}

interface Place {
  readonly value: string | number
  readonly list: number
}

function byValue({ value: a }: Place, { value: b }: Place): number {
  return a === b ? 0 : a < b ? -1 : 1
}
