import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { AdcpError } from '../errors.ts'
import { addressBucket } from '../net/client-address.ts'

/** Thresholds of the directory's anonymous limit. */
export interface LookupLimitOptions {
  /** Lookups of one agent from one address in a window. */
  readonly requests: number
  /** Lookups of any agents from one address in a window; it also bounds how many counters one address can open. */
  readonly requestsPerAddress: number
  readonly windowSeconds: number
}

/** Counts a lookup of `agent` (its canonical key) from an address. Rejects with RATE_LIMITED and the seconds to wait. */
export type LookupLimit = (agent: string, address: string) => Promise<void>

/** The directory's rate limit: agent_url plus IP, IPv6 by /64. Source: specification §7.1, §8. */
export function createLookupLimit(options: LookupLimitOptions): LookupLimit {
  const duration = options.windowSeconds
  const perAgent = new RateLimiterMemory({ keyPrefix: 'agent', points: options.requests, duration })
  const perAddress = new RateLimiterMemory({ keyPrefix: 'address', points: options.requestsPerAddress, duration })
  return async (agent, address) => {
    const bucket = addressBucket(address)
    try {
      await perAddress.consume(bucket)
      await perAgent.consume(`${bucket} ${agent}`)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const retryAfter = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw new AdcpError('RATE_LIMITED', `too many lookups; wait ${retryAfter} seconds`, {
        retryAfter,
        http: { status: 429, headers: { 'Retry-After': String(retryAfter) } },
      })
    }
  }
}
