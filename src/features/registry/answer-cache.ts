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
  const kept = new Map<string, { readonly answer: Promise<T>; until: number }>()
  return {
    get(key, now, work, fresh = false) {
      const known = kept.get(key)
      if (known && !fresh && now < known.until) return known.answer
      const entry = { answer: work(), until: Number.POSITIVE_INFINITY }
      entry.answer.then(
        (answer) => {
          entry.until = now + keepMs(answer)
        },
        () => {
          if (kept.get(key) === entry) kept.delete(key)
        },
      )
      kept.delete(key)
      kept.set(key, entry)
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break
        kept.delete(oldest)
      }
      return entry.answer
    },
  }
}
