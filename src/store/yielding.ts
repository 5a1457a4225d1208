import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'

/** Items between two yields: a few milliseconds of work with products. */
const ITEMS_AT_A_TIME = 64

/** Visits items in order and yields to the event loop in between, so that a long list does not delay other requests. */
export async function forEachYielding<T>(items: Iterable<T>, visit: (item: T) => unknown): Promise<void> {
  let visited = 0
  for (const item of items) {
    if (visited > 0 && visited % ITEMS_AT_A_TIME === 0) await yieldToEventLoop()
    visit(item)
    visited++
  }
}

/** The results of `map` in the order of the items, with yields as in {@link forEachYielding}. */
export async function mapYielding<T, R>(items: readonly T[], map: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = []
  await forEachYielding(items, (item) => results.push(map(item, results.length)))
  return results
}
