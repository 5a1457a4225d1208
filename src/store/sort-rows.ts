/** A column, and whether the largest value comes first. */
type Order<Row> = keyof Row | readonly [column: keyof Row, direction: 'desc']

/**
 * Sorts the few rows that a query found by their ids, by columns of text. With `ORDER BY` in the statement SQLite reads all rows of the publisher in
 * that order instead, where an index has it, because it has no statistics that say how few rows the ids leave.
 */
export function sortRows<Row>(rows: readonly Row[], ...orders: readonly Order<Row>[]): Row[] {
  const keys = orders.map((order) => (typeof order === 'object' ? { column: order[0], sign: -1 } : { column: order, sign: 1 }))
  return [...rows].sort((a, b) => {
    for (const { column, sign } of keys) {
      if (a[column] < b[column]) return -sign
      if (a[column] > b[column]) return sign
    }
    return 0
  })
}
