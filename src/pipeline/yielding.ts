import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'
import type { Next, State } from './state.ts'

/** Milliseconds that the steps of one call may take in a row before others are served: a small call takes one or two in all. */
const MOST_MS = 10

/**
 * The next step, after a turn of the event loop when the call has kept it for long: reading, checking and hashing one request of some megabytes each
 * take some tens of milliseconds, and others need not wait for their sum. Inside a transaction nothing waits.
 */
export function yielding(next: Next): Next {
  return (state) => {
    if (state.execution !== undefined || performance.now() - state.busySinceMs < MOST_MS) return next(state)
    return yieldToEventLoop().then(() => next({ ...state, busySinceMs: performance.now() }))
  }
}

/** An answer that took long is written in a turn of its own: it may have been checked, stored and committed in this one. */
export async function afterLongWork<T>({ busySinceMs }: State, answer: () => Promise<T>): Promise<T> {
  const given = await answer()
  if (performance.now() - busySinceMs >= MOST_MS) await yieldToEventLoop()
  return given
}
