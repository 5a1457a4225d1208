/** What a sync names beside what is stored of the same kind. */
export interface NamedAndStored<Stored> {
  /** Whether the id at this position is not that of an earlier one. */
  isFirst(index: number): boolean
  /** What is stored under an id. */
  storedOf(id: string): Stored | undefined
  /** What is stored and not named, in its order. */
  readonly others: readonly Stored[]
}

/** Sets the ids that a sync names beside what is stored: each list is gone through once, since an account and a request may both have thousands. */
export function namedAndStored<Stored>(
  named: readonly string[],
  stored: readonly Stored[],
  idOf: (each: Stored) => string,
): NamedAndStored<Stored> {
  const firstAt = new Map<string, number>()
  const repeated = new Set<number>()
  for (const [index, id] of named.entries()) {
    if (firstAt.has(id)) repeated.add(index)
    else firstAt.set(id, index)
  }
  const byId = new Map(stored.map((each) => [idOf(each), each]))
  return {
    isFirst: (index) => !repeated.has(index),
    storedOf: (id) => byId.get(id),
    others: stored.filter((each) => !firstAt.has(idOf(each))),
  }
}
