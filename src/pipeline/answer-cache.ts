import { LRUCache } from 'lru-cache'

type Payload = Readonly<Record<string, unknown>>

/** An answer as a release shows it, and as its task gave it. Nothing in it may be changed. */
export interface Answer {
  readonly payload: Payload
  readonly neutral?: Payload
}

/** Answers of reading tasks. Each is valid for the data version that it was computed from. */
export interface AnswerCache {
  get(key: string, dataVersion: string | number): Answer | undefined
  /** Stores an answer from the second time that its key is offered; most questions are never asked again. */
  offer(key: string, dataVersion: string | number, answer: Answer): void
}

interface CachedAnswer {
  readonly dataVersion: string | number
  readonly answer: Answer
}

const MAX_ANSWERS = 500
/** Characters of JSON, for all answers together; as objects they take some four times as many bytes. */
const MAX_ANSWER_SIZE = 8_000_000
const MAX_ASKED = 4096
/** Characters of all keys that were offered once. */
const MAX_ASKED_SIZE = 2_000_000
/** A longer question is rarely asked twice. */
const MAX_KEY = 4096

/** An empty cache, bounded by the number and the size of answers; the least recently used is evicted first. */
export function createAnswerCache(): AnswerCache {
  const answers = new LRUCache<string, CachedAnswer>({
    max: MAX_ANSWERS,
    maxSize: MAX_ANSWER_SIZE,
    sizeCalculation: ({ answer }) => JSON.stringify(answer.payload).length,
  })
  const asked = new LRUCache<string, true>({
    max: MAX_ASKED,
    maxSize: MAX_ASKED_SIZE,
    sizeCalculation: (_asked, key) => key.length,
  })
  return {
    get(key, dataVersion) {
      const cached = answers.get(key)
      return cached?.dataVersion === dataVersion ? cached.answer : undefined
    },
    offer(key, dataVersion, answer) {
      if (key.length > MAX_KEY) return
      if (asked.has(key)) answers.set(key, { dataVersion, answer })
      else asked.set(key, true)
    },
  }
}
