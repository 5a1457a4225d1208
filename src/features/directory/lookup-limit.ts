import { addressBucket } from '../../platform/net/client-address.ts'
import { type Counters, createRateLimit } from '../../platform/net/rate-limit.ts'

/** Thresholds of the directory's anonymous limit. */
export interface LookupLimitOptions {
  /** Lookups of one agent from one address in a window. */
  readonly requests: number
  /** Lookups of any agents from one address in a window; it also bounds how many counters one address can open. */
  readonly requestsPerAddress: number
  /** Pages that a cursor continues, of any agents, from one address in a window. */
  readonly continuations: number
  readonly windowSeconds: number
  /** Addresses that nothing is counted for; default: none. */
  readonly isExempt?: (address: string) => boolean
  /** Where lookups are counted; default: in this process. */
  readonly counters?: Counters | undefined
}

/** `lookup` asks anew, `continuation` goes on with a cursor. */
export type LookupKind = 'lookup' | 'continuation'

export interface LookupLimit {
  /**
   * Counts a lookup of `agent` (its canonical key) from an address. Throws RATE_LIMITED with the seconds to wait, or rejects with it; gives a
   * promise only when another process has to be asked.
   */
  (agent: string, address: string, kind?: LookupKind): Promise<void> | undefined
  /** Headers with the state of the caller's limit, names and values in turn; none for who has no limit. */
  headers(agent: string, address: string, kind: LookupKind): readonly string[]
}

/**
 * The directory's rate limit: agent_url plus IP, IPv6 by /64. Pages that a cursor continues are counted apart, for an address, because
 * a client that reads a large network takes thousands of them in a row. Source: AdCP publisher directory page.
 */
export function createLookupLimit(options: LookupLimitOptions): LookupLimit {
  const { requests, requestsPerAddress, continuations, windowSeconds, counters, isExempt = () => false } = options
  const shared = { windowSeconds, scope: 'tool' as const, counters }
  const perAgent = createRateLimit({ ...shared, what: 'lookups', name: 'lookups', limit: requests })
  const perAddress = createRateLimit({ ...shared, what: 'lookups', name: 'lookups-of-address', limit: requestsPerAddress })
  const pages = createRateLimit({ ...shared, what: 'pages', name: 'pages-of-address', limit: continuations })
  const count = (agent: string, address: string, kind: LookupKind = 'lookup') => {
    if (isExempt(address)) return undefined
    const bucket = addressBucket(address)
    if (kind === 'continuation') return pages(bucket)
    const counted = perAddress(bucket)
    return counted ? counted.then(() => perAgent(`${bucket} ${agent}`)) : perAgent(`${bucket} ${agent}`)
  }
  const headers = (agent: string, address: string, kind: LookupKind) => {
    if (isExempt(address)) return []
    const bucket = addressBucket(address)
    return kind === 'continuation' ? pages.headers(bucket) : perAgent.headers(`${bucket} ${agent}`)
  }
  return Object.assign(count, { headers })
}
