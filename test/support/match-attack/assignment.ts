/**
 * Assigns one of its candidates to each of as many items as possible, no candidate twice (augmenting paths, Kuhn). `candidatesOf`: indexes of candidates, best
 * first. Gives the index of the candidate of each item; undefined for one that is left over.
 */
export function maximumAssignment(
  items: number,
  candidatesOf: (item: number) => readonly number[],
): readonly (number | undefined)[] {
  const itemOf = new Map<number, number>()
  const assign = (first: number): void => {
    // A search in breadth: by which item each candidate was reached.
    const reachedBy = new Map<number, number>()
    const queue = [first]
    for (const item of queue)
      for (const candidate of candidatesOf(item)) {
        if (reachedBy.has(candidate)) continue
        reachedBy.set(candidate, item)
        const holder = itemOf.get(candidate)
        if (holder === undefined) {
          shift(candidate, first, reachedBy)
          return
        }
        queue.push(holder)
      }
  }
  /** Gives a free candidate to the item that reached it, whose own goes to the item that reached that one, back to the first. */
  const shift = (free: number, first: number, reachedBy: ReadonlyMap<number, number>): void => {
    const ownOf = new Map([...itemOf].map(([candidate, item]) => [item, candidate]))
    for (let candidate: number | undefined = free; candidate !== undefined; ) {
      const item = reachedBy.get(candidate)
      if (item === undefined) return
      itemOf.set(candidate, item)
      candidate = item === first ? undefined : ownOf.get(item)
    }
  }
  for (let item = 0; item < items; item += 1) {
    const free = candidatesOf(item).find((candidate) => !itemOf.has(candidate))
    if (free === undefined) assign(item)
    else itemOf.set(free, item)
  }
  const candidates: (number | undefined)[] = Array(items).fill(undefined)
  for (const [candidate, item] of itemOf) candidates[item] = candidate
  return candidates
}
