/** Positions of the values of a list that an earlier one equals, ascending. */
export function repeatedAt(values: readonly unknown[]): ReadonlySet<number> {
  const seen = new Set<unknown>()
  const repeated = new Set<number>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) repeated.add(index)
    seen.add(value)
  }
  return repeated
}
