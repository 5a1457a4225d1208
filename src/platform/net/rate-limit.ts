import cluster from 'node:cluster'
import { RateLimiterCluster, RateLimiterRes } from 'rate-limiter-flexible'
import { AdcpError } from '../../protocol/errors.ts'
import { fixedWindows } from './fixed-window.ts'

export interface RateLimitOptions {
  /** What is counted, in the plural and in public words: `lookups`. */
  readonly what: string
  readonly limit: number
  readonly windowSeconds: number
  /** What the limit applies to (AdCP error-details/rate-limited.json). */
  readonly scope: RateScope
  /** Where it is counted; default: in this process, or for all workers of this machine together. */
  readonly counters?: Counters | undefined
}

export type RateScope = 'account' | 'tool' | 'global'

/**
 * Counts one use of a bucket. Throws RATE_LIMITED (HTTP 429), or rejects with it, once the window's limit is used up. Gives a promise only
 * when it has to ask another process.
 */
export interface RateLimit {
  (bucket: string): Promise<void> | undefined
  /** `RateLimit-Policy` and, where this process counts, `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10): names and values in turn. */
  headers(bucket: string): readonly string[]
}

/**
 * Fixed windows, each begun by its bucket's first use. Gives undefined, or the milliseconds to wait when the limit is used up; at once
 * when it counts in this process.
 */
export interface Counter {
  (bucket: string): number | undefined | Promise<number | undefined>
  /** The state of a bucket, where this process counts alone. */
  state?(bucket: string): { readonly remaining: number; readonly resetMs: number }
}

/** Makes the counter of a limit. `name` distinguishes limits that count the same buckets. */
export type Counters = (terms: { readonly name: string; readonly limit: number; readonly windowSeconds: number }) => Counter

/** Counters of this process alone. */
export const processCounters: Counters = ({ limit, windowSeconds }) => fixedWindows(limit, windowSeconds * 1000)

/** Counters that the workers of one machine share: the process that started them counts. */
export const workerCounters: Counters = ({ name, limit, windowSeconds }) => {
  const limiter = new RateLimiterCluster({ keyPrefix: name, points: limit, duration: windowSeconds, timeoutMs: 2000 })
  return (bucket) => consume(limiter, bucket)
}

async function consume(limiter: RateLimiterCluster, bucket: string): Promise<number | undefined> {
  try {
    await limiter.consume(bucket)
    return undefined
  } catch (error) {
    if (error instanceof RateLimiterRes) return error.msBeforeNext
    throw error
  }
}

/** A limit over the buckets of one kind. */
export function createRateLimit(options: RateLimitOptions & { readonly name: string }): RateLimit {
  const { name, what, limit, windowSeconds, counters = cluster.isWorker ? workerCounters : processCounters } = options
  const count = counters({ name, limit, windowSeconds })
  const judge = (waitMs: number | undefined) => {
    if (waitMs !== undefined) throw rateLimited(`too many ${what}`, waitMs / 1000, options)
  }
  const use = (bucket: string) => {
    const counted = count(bucket)
    if (counted instanceof Promise) return counted.then(judge)
    judge(counted)
    return undefined
  }
  const headers = (bucket: string) => {
    const policy = ['RateLimit-Policy', `"${name}";q=${limit};w=${windowSeconds}`]
    const state = count.state?.(bucket)
    if (!state) return policy
    return [...policy, 'RateLimit', `"${name}";r=${state.remaining};t=${Math.ceil(state.resetMs / 1000)}`]
  }
  return Object.assign(use, { headers })
}

/** The refusal of a caller that has to wait. The time is rounded up to whole seconds, at least one. */
export function rateLimited(
  message: string,
  waitSeconds: number,
  { limit, windowSeconds, scope }: Pick<RateLimitOptions, 'limit' | 'windowSeconds' | 'scope'>,
): AdcpError {
  const retryAfter = Math.min(3600, Math.max(1, Math.ceil(waitSeconds)))
  return new AdcpError('RATE_LIMITED', `${message}; wait ${retryAfter} seconds`, {
    retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope },
    http: { status: 429, headers: { 'Retry-After': String(retryAfter) } },
  })
}
