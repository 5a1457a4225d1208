/** Work in steps, between any two of which others may be served; what it returns is its result. */
export type Steps<T> = Generator<undefined, T, undefined>

/** The result of work in steps, all at once: for few of them. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
