/** How the question to one provider ended. */
export type Outcome = 'answered' | 'timeout' | 'error'

export interface Target<Answer> {
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Rejects when the provider fails; has to give up when the signal aborts. */
  ask(signal: AbortSignal): Promise<Answer>
  /** Told once, when the question has ended: how, and after how many milliseconds. */
  ended(outcome: Outcome, elapsedMs: number): void
}

/** Asks all at once and gives the answers that came in time, in the order in which they came. Whoever fails is left out; it never rejects. */
export async function fanOut<Answer>(targets: readonly Target<Answer>[]): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  await Promise.all(
    targets.map(async (target) => {
      const answer = await askInTime(target)
      if (answer !== undefined) answers.push(answer)
    }),
  )
  return answers
}

/** The reason of a signal. Made once: an exception of its own for each request costs as much as sending it. */
const GIVEN_UP = new Error('the request was given up')

async function askInTime<Answer>({ timeoutMs, ask, ended }: Target<Answer>): Promise<Answer | undefined> {
  const began = performance.now()
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // Beside the signal, so that a provider client which misses it delays no answer.
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs)
  })
  try {
    const answer = await Promise.race([ask(controller.signal), late])
    if (answer === 'late') controller.abort(GIVEN_UP)
    ended(answer === 'late' ? 'timeout' : 'answered', performance.now() - began)
    return answer === 'late' ? undefined : answer
  } catch {
    ended('error', performance.now() - began)
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
