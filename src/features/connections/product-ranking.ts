import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { ProductRanking, RankedProductId, RankingQuestion } from '../../domain/product/ranking-port.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readOptional, readShare, readText } from './read-answer.ts'

/** Characters of a reason that a buyer reads. */
const MOST_REASON = 500

/** A ranking of the publisher's own, its answers read: products that were not asked about are dropped, of a product that is there twice the first counts. */
export function checkedRanking(inner: ProductRanking, call: CallSystem): ProductRanking {
  const { name, description } = inner
  return {
    name,
    description,
    rank: (question) => {
      const known = new Set(question.products.map(({ productId }) => productId))
      return call(
        'rank',
        async () => inner.rank(question),
        (answer) =>
          readList(answer, 'the answer').flatMap((item, index) => {
            const ranked = readRanked(item, `item ${index}`)
            return known.delete(ranked.productId) ? [ranked] : []
          }),
      )
    },
  }
}

function readRanked(item: unknown, what: string): RankedProductId {
  const { productId, score, reason } = readObject(item, what)
  const share = readOptional(score, readShare, `score of ${what}`)
  const text = readOptional(reason, readText, `reason of ${what}`)
  return {
    productId: readText(productId, `productId of ${what}`),
    ...(share !== undefined && { score: share }),
    ...(text !== undefined && { reason: text.slice(0, MOST_REASON) }),
  }
}

/** A ranking that may have no answer. */
export interface OptionalRanking {
  readonly name: string
  /** The products in order; undefined: the ranking of this program is to answer. Never rejects. */
  rank(question: Omit<RankingQuestion, 'signal'>): Promise<readonly RankedProductId[] | undefined>
}

/** Why this program's own ranking answers. */
export type FallbackReason = 'timeout' | 'error' | 'empty' | 'busy'

export interface FallbackOptions {
  readonly timeoutMs: number
  readonly log: Logger
  readonly fellBack: (reason: FallbackReason) => void
}

/** Questions that wait for a module at a time: what it does not answer in time may go on inside it. */
const MOST_WAITING = 64
/** The pages of an answer are in one order, and the same question soon after costs nothing. */
const REMEMBERED = { max: 500, ttl: 600_000 }

/** Waits for a ranking no longer than `timeoutMs`. Each fallback is a line of the log. */
export function withFallback(inner: ProductRanking, { timeoutMs, log, fellBack }: FallbackOptions): OptionalRanking {
  const answers = new LRUCache<string, readonly RankedProductId[]>(REMEMBERED)
  let waiting = 0
  const fall = (reason: FallbackReason, error?: unknown) => {
    fellBack(reason)
    log.warn(
      { reason, ...(error !== undefined && { err: error }) },
      'connect.ranking gave no answer; the ranking of this program answers',
    )
    return undefined
  }
  return {
    name: inner.name,
    async rank(question) {
      const key = JSON.stringify([question.brief, question.products])
      const known = answers.get(key)
      if (known) return known
      if (waiting >= MOST_WAITING) return fall('busy')
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), timeoutMs)
      const isLate = new Promise<'timeout'>((resolve) => late.signal.addEventListener('abort', () => resolve('timeout')))
      waiting++
      const work = inner.rank({ ...question, signal: late.signal }).finally(() => waiting--)
      // What fails after the time is over was said to be late already.
      work.catch(() => undefined)
      try {
        const answer = await Promise.race([work, isLate])
        if (answer === 'timeout') return fall('timeout')
        if (answer.length === 0) return fall('empty')
        answers.set(key, answer)
        return answer
      } catch (error) {
        return fall('error', error)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
