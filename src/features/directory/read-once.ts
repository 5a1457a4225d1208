import { LRUCache } from 'lru-cache'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { FetchAnswer, FetchRequest, SafeFetch } from '../../platform/net/safe-fetch.ts'

/** Answers that are remembered, by the size of their bodies. */
const MOST_BYTES = 32_000_000
/** What an answer without a body counts for. */
const LEAST_BYTES = 500
/** An address that failed is asked again after this time. */
const FAILURE_LASTS_MS = 60_000

interface Asked {
  readonly policy: FetchPolicy
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly at: number
  /** Undefined: the fetch failed. */
  readonly answer: FetchAnswer | undefined
  readonly error: unknown
}

/**
 * A fetch that asks for each address once: a file that is a publisher's own and a manager's too, or that two routes lead to, is read for all of them. An
 * answer serves whoever could have got the same: in full for everybody, 304 for the same validators, what came by a redirect or failed under the same policy.
 * For one crawl: it never forgets, but for the oldest of more than 32 MB.
 */
export function readOnce(fetch: SafeFetch, clock: () => Date): SafeFetch {
  const asked = new LRUCache<string, Asked>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ answer }) => Math.max(LEAST_BYTES, answer?.body.length ?? 0),
  })
  const flights = new Map<string, Promise<Asked>>()
  const ask = async (url: string, request: FetchRequest): Promise<Asked> => {
    const { policy, etag, lastModified } = request
    const given = { policy, etag, lastModified, at: clock().getTime() }
    try {
      return { ...given, answer: await fetch(url, request), error: undefined }
    } catch (error) {
      return { ...given, answer: undefined, error }
    }
  }
  return async (url, request) => {
    for (let flight = flights.get(url); flight !== undefined; flight = flights.get(url)) await flight
    const known = asked.get(url)
    if (known && serves(known, url, request, clock().getTime())) return answerOf(known)
    const flight = ask(url, request)
    flights.set(url, flight)
    const result = await flight
    flights.delete(url)
    asked.set(url, result)
    return answerOf(result)
  }
}

function answerOf({ answer, error }: Asked): FetchAnswer {
  if (answer === undefined) throw error
  return answer
}

function serves(known: Asked, url: string, { policy, etag, lastModified }: FetchRequest, now: number): boolean {
  const { answer } = known
  const isSamePolicy = known.policy === policy
  if (answer === undefined || answer.status === 429 || answer.status >= 500)
    return isSamePolicy && now - known.at < FAILURE_LASTS_MS
  if (!isSamePolicy && (answer.url !== url || answer.body.length > policy.maxBytes)) return false
  return answer.status !== 304 || (known.etag === etag && known.lastModified === lastModified)
}
