import { readBrief } from '../domain/product/brief.ts'
import { budgetOf } from '../domain/product/brief-money.ts'
import { orderTermsIn } from '../domain/product/order-terms.ts'
import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'

/** Has no money, no date and no place, so that each pattern is tried to its end. */
const BRIEF = 'people who like sports'

/**
 * Reads a brief a part at a time while a new process waits for its first call: the patterns of many languages are compiled when they are first used, which
 * would keep the first question, and all that is asked beside it, for 50 to 80 ms in one turn.
 */
export async function readFirstBrief(): Promise<void> {
  for (const read of [orderTermsIn, budgetOf, readBrief]) {
    await yieldToEventLoop()
    read(BRIEF)
  }
}
