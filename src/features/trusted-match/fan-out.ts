import { setMaxListeners } from 'node:events'

/** How the question to one provider ended. */
export type Outcome = 'answered' | 'timeout' | 'error'

export interface Target<Answer> {
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Rejects when the provider fails; has to give up when the signal aborts. */
  ask(signal: AbortSignal): Promise<Answer>
  /** Told once, when the question has ended: how, after how many milliseconds, and for `error` what `ask` rejected with. */
  ended(outcome: Outcome, elapsedMs: number, error?: unknown): void
}

/**
 * Asks all at once and gives the answers that came in time, in the order in which they came. A target that fails is left out; it never rejects. Targets with the same
 * time-out share one timer and one signal.
 */
export async function fanOut<Answer>(targets: readonly Target<Answer>[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  const byTimeout = new Map<number, Target<Answer>[]>()
  for (const target of targets) {
    const group = byTimeout.get(target.timeoutMs)
    if (group) group.push(target)
    else byTimeout.set(target.timeoutMs, [target])
  }
  await Promise.all([...byTimeout].map(([timeoutMs, group]) => askInTime(group, timeoutMs, answers)))
  return answers
}

/** The reason of a signal. Made once: an exception of its own for each request costs as much as sending it. */
const GIVEN_UP = new Error('the request was given up')

/** Asks all and adds their answers; settles when each has ended or the time is over. */
function askInTime<Answer>(targets: readonly Target<Answer>[], timeoutMs: number, answers: Answer[]): Promise<void> {
  return new Promise((resolve) => {
    const began = performance.now()
    const controller = new AbortController()
    // Each target listens once; Node.js warns of a leak beyond ten.
    setMaxListeners(0, controller.signal)
    const open = new Set(targets)
    const end = (target: Target<Answer>, outcome: Outcome, error?: unknown) => {
      // What ends after its time has been counted already.
      if (!open.delete(target)) return
      target.ended(outcome, performance.now() - began, error)
      if (open.size === 0) {
        clearTimeout(timer)
        resolve()
      }
    }
    const giveUp = () => {
      for (const target of open) end(target, 'timeout')
      controller.abort(GIVEN_UP)
    }
    // Timers run before input is read: an answer that has arrived by now is read first, so that a busy router does not take its own delay for a provider's.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    for (const target of targets)
      target.ask(controller.signal).then(
        (answer) => {
          if (open.has(target)) answers.push(answer)
          end(target, 'answered')
        },
        (error: unknown) => end(target, 'error', error),
      )
  })
}
