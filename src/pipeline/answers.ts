/** Answers that a read gives again to the same question, as long as what it reads has not changed. */
export interface Answers<T extends object> {
  /** The kept answer, when it is younger than `ANSWER_MS`. */
  get(question: string, now: Date): T | undefined
  /** Keeps an answer, which from here on nobody may change, and returns it. */
  put(question: string, answer: T, now: Date): T
  /** Until when an answer is given (milliseconds since 1970); undefined for what is no answer of this memory. */
  goodUntil(answer: object): number | undefined
}

/** Answers hold dates that follow the clock (a draft's expiry), so they are short-lived. */
const ANSWER_MS = 30_000

/** An answer is some tens of kilobytes: a few megabytes in all. */
const MAX_ANSWERS = 200

/** Longer questions are rarely asked twice. */
const MAX_QUESTION = 4096

/** A bounded memory of answers; the oldest goes first. The question must hold all that the answer depends on. */
export function createAnswers<T extends object>(): Answers<T> {
  const kept = new Map<string, { readonly answer: T; readonly madeAt: number }>()
  const ends = new WeakMap<object, number>()
  return {
    get(question, now) {
      const found = kept.get(question)
      if (!found) return undefined
      const age = now.getTime() - found.madeAt
      if (age >= 0 && age < ANSWER_MS) return found.answer
      kept.delete(question)
      return undefined
    },
    put(question, answer, now) {
      Object.freeze(answer)
      if (question.length > MAX_QUESTION) return answer
      const oldest = kept.size >= MAX_ANSWERS ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(question, { answer, madeAt: now.getTime() })
      ends.set(answer, now.getTime() + ANSWER_MS)
      return answer
    },
    goodUntil: (answer) => ends.get(answer),
  }
}
