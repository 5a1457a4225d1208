import { createFairQueue } from '../concurrency/fair-queue.ts'
import { DecodeFault } from './decode-fault.ts'
import { refusals } from './decode-refusals.ts'

/** Files that wait meanwhile, with up to 16 MB each. */
const MOST_WAITING = 4

const oneAtATime = createFairQueue({ concurrent: 1, ofUnknown: 1, waiting: MOST_WAITING, refusal: tooMany })

/**
 * Does work with what a large document was decoded to, one at a time in this process, since the rows of a table of a million cells and what is made of them come to some hundred megabytes. Holders, named by `key`,
 * take turns. What runs inside takes no second turn. Rejects with a DecodeFault, `queue`, where too many wait.
 */
export function inLargeTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  return oneAtATime({ key, isKnown: true }, work)
}

function tooMany(): DecodeFault {
  refusals.count('import', 'queue')
  return new DecodeFault('queue', 'waits behind too many others')
}
