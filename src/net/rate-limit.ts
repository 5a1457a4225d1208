import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { AdcpError } from '../errors.ts'

export interface RateLimitOptions {
  /** What is counted, in the plural and in public words: `lookups`. */
  readonly what: string
  readonly limit: number
  readonly windowSeconds: number
  /** What the limit applies to (AdCP error-details/rate-limited.json). */
  readonly scope: RateScope
}

export type RateScope = 'account' | 'tool' | 'global'

/** Counts one use of a bucket. Rejects with RATE_LIMITED (HTTP 429) once the window's limit is used up. */
export type RateLimit = (bucket: string) => Promise<void>

/** A limit of this process: fixed windows, each begun by its bucket's first use. */
export function createRateLimit({ what, limit, windowSeconds, scope }: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds })
  return async (bucket) => {
    try {
      await limiter.consume(bucket)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      throw rateLimited(`too many ${what}`, error.msBeforeNext / 1000, { limit, windowSeconds, scope })
    }
  }
}

/** The refusal of a caller that has to wait. The time is rounded up to whole seconds, at least one. */
export function rateLimited(
  message: string,
  waitSeconds: number,
  { limit, windowSeconds, scope }: Omit<RateLimitOptions, 'what'>,
): AdcpError {
  const retryAfter = Math.min(3600, Math.max(1, Math.ceil(waitSeconds)))
  return new AdcpError('RATE_LIMITED', `${message}; wait ${retryAfter} seconds`, {
    retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope },
    http: { status: 429, headers: { 'Retry-After': String(retryAfter) } },
  })
}
