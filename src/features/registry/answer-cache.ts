/** Answers cached for a time, each computed once for all concurrent callers. */
export interface AnswerCache<T> {
  /** The answer for a key, at hand or worked out now; `fresh` does not believe what is at hand. */
  get(key: string, now: number, work: () => Promise<T>, fresh?: boolean): Promise<T>
}

export interface CacheTerms<T> {
  readonly most: number
  /** How long an answer is cached, in milliseconds. */
  readonly keepMs: (answer: T) => number
}

/** A bounded cache; the oldest answers are evicted first. Failures are not cached. */
export function createAnswerCache<T>({ most, keepMs }: CacheTerms<T>): AnswerCache<T> {
  const cached = new Map<string, { readonly answer: Promise<T>; until: number }>()
  return {
    get(key, now, work, fresh = false) {
      const known = cached.get(key)
      if (known && !fresh && now < known.until) return known.answer
      const entry = { answer: work(), until: Number.POSITIVE_INFINITY }
      entry.answer.then(
        (answer) => {
          entry.until = now + keepMs(answer)
        },
        () => {
          if (cached.get(key) === entry) cached.delete(key)
        },
      )
      cached.delete(key)
      cached.set(key, entry)
      for (const oldest of cached.keys()) {
        if (cached.size <= most) break
        cached.delete(oldest)
      }
      return entry.answer
    },
  }
}
