/**
 * Runs at most `concurrent` calls at a time and queues up to `waiting` more. Beyond that the returned function rejects with the error
 * that `refusal` makes.
 */
export function limitConcurrency(
  concurrent: number,
  waiting: number,
  refusal: () => Error,
): <T>(work: () => Promise<T>) => Promise<T> {
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
