import { setImmediate as otherWork } from 'node:timers/promises'

/** Items between two looks at other work: with products some milliseconds. */
const ITEMS_AT_A_TIME = 64

/** Visits items one after the other and lets other work of the process in between, so that a long list delays nobody. */
export async function forEachGivingWay<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let visited = 0
  for (const item of items) {
    if (visited > 0 && visited % ITEMS_AT_A_TIME === 0) await otherWork()
    visit(item)
    visited++
  }
}
