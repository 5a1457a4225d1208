/** Counts by name. */
type Counts<K extends string> = Readonly<Record<K, number>>

/** `a` and `times` times `b`, member by member; `names` has the members of the sum, and no other. */
export function addCounts<K extends string>(names: Counts<K>, a: Counts<K>, b: Counts<K>, times: 1 | -1 = 1): Counts<K> {
  const sum: Record<K, number> = { ...names }
  for (const name in names) sum[name] = a[name] + times * b[name]
  return sum
}
