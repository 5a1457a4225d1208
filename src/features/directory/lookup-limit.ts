import { addressBucket } from '../../platform/net/client-address.ts'
import { type Counters, createRateLimit } from '../../platform/net/rate-limit.ts'

/** Thresholds of the directory's anonymous limit. */
export interface LookupLimitOptions {
  /** Lookups of one agent from one address in a window. */
  readonly requests: number
  /** Lookups of any agents from one address in a window; it also bounds how many counters one address can open. */
  readonly requestsPerAddress: number
  readonly windowSeconds: number
  /** Where lookups are counted; default: in this process. */
  readonly counters?: Counters | undefined
}

/**
 * Counts a lookup of `agent` (its canonical key) from an address. Throws RATE_LIMITED with the seconds to wait, or rejects with it; gives a
 * promise only when another process has to be asked.
 */
export type LookupLimit = (agent: string, address: string) => Promise<void> | undefined

/** The directory's rate limit: agent_url plus IP, IPv6 by /64. Source: AdCP publisher directory page. */
export function createLookupLimit(options: LookupLimitOptions): LookupLimit {
  const { requests, requestsPerAddress, windowSeconds, counters } = options
  const shared = { what: 'lookups', windowSeconds, scope: 'tool' as const, counters }
  const perAgent = createRateLimit({ ...shared, name: 'lookups', limit: requests })
  const perAddress = createRateLimit({ ...shared, name: 'lookups-of-address', limit: requestsPerAddress })
  return (agent, address) => {
    const bucket = addressBucket(address)
    const counted = perAddress(bucket)
    return counted ? counted.then(() => perAgent(`${bucket} ${agent}`)) : perAgent(`${bucket} ${agent}`)
  }
}
