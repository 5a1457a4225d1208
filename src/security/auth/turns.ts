/**
 * Lets at most `concurrent` pieces of work run at once and `waiting` more wait for their turn. Beyond that the returned function
 * rejects with what `refusal` makes.
 */
export function turns(concurrent: number, waiting: number, refusal: () => Error): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= concurrent) {
      if (queue.length >= waiting) throw refusal()
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
