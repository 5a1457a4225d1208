import type { Steps } from './steps.ts'

/** Milliseconds that a long piece of work may take in a row before others are served: a small call takes one or two in all. */
const MOST_MS = 10

/** Lets the event loop serve others before a long piece of work goes on. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Characters that one more pass over a text (escaping, encoding, storing) takes about a millisecond for. */
const LONG_TEXT = 250_000

/** Lets the event loop serve others after a long text was made and before the next pass over it. Nothing to wait for after a short one. */
export function afterText({ length }: string): Promise<void> | undefined {
  return length < LONG_TEXT ? undefined : yieldToEventLoop()
}

/** Items between two looks at the clock: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 256

/** Does something with each of many items in order, and gives way to others every few milliseconds. */
export function eachInTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  return inTurns(eachInSteps(items, work))
}

function* eachInSteps<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  let count = 0
  for (const item of items) {
    count++
    if (count % ITEMS_OF_A_STEP === 0) yield
    work(item)
  }
}

/** The result of work in steps, which gives way to others every few milliseconds. Rejects with what the work throws. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let since = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < MOST_MS) continue
    await yieldToEventLoop()
    since = performance.now()
  }
}
