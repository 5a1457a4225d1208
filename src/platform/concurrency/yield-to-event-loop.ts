import { mapSteps, type Steps } from './steps.ts'

/** Milliseconds that a long piece of work may take in a row before others are served: a small call takes one or two in all. */
const MOST_MS = 10

/** The turns of this thread's event loop, which all modules share: whatever runs in one keeps everybody else waiting, whoever began it. */
class LoopTurns {
  /** When the first piece of work of this turn began that asked. */
  #beganMs: number | undefined
  /** When the first of those that gave way went on in this turn. */
  #resumedMs: number | undefined

  /** Whether work has kept this turn for long, since it first asked in it. */
  hasKept(): boolean {
    const now = performance.now()
    if (this.#beganMs !== undefined) return now - this.#beganMs >= MOST_MS
    this.#beganMs = now
    setImmediate(() => {
      this.#beganMs = undefined
    })
    return false
  }

  /** Calls back in a later turn: one at least of those that wait goes on in each, and more of them while they are short. */
  later(resume: () => void): void {
    setImmediate(() => {
      const now = performance.now()
      if (this.#resumedMs === undefined) {
        this.#resumedMs = now
        setImmediate(() => {
          this.#resumedMs = undefined
        })
      } else if (now - this.#resumedMs >= MOST_MS) {
        this.later(resume)
        return
      }
      resume()
    })
  }
}

const LOOP = new LoopTurns()

/** Whether the work of this turn of the event loop, whoever began it, should be the last of it: what has not begun waits for the next one. */
export function hasKeptTheLoop(): boolean {
  return LOOP.hasKept()
}

/** Lets the event loop serve others before a long piece of work goes on. Many such pieces do not go on in one turn together. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => LOOP.later(resolve))
}

/** Lets others be served where the work of this turn has taken long already; nothing to wait for where it has not. For loops over what a publisher may have thousands of. */
export function giveWay(): Promise<void> | undefined {
  return hasKeptTheLoop() ? yieldToEventLoop() : undefined
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

/** What is made of each item, in order, while others are served; `ofStep`: how many of them take some tenths of a millisecond. */
export function mapInTurns<T, R>(items: readonly T[], make: (item: T, index: number) => R, ofStep: number): Promise<R[]> {
  return inTurns(mapSteps(items, make, ofStep))
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
