import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { addressBucket } from '../../platform/net/client-address.ts'
import type { Mode } from '../../platform/net/mode.ts'
import { isLoopback } from '../../platform/net/peer.ts'
import { type Counters, createRateLimit } from '../../platform/net/rate-limit.ts'

export interface CallLimitOptions {
  /** Calls in a window: of one principal by class, and of one address without credentials. */
  readonly reads: number
  readonly changes: number
  readonly anonymous: number
  readonly windowSeconds: number
  /** Callers that nothing is counted for. */
  readonly isExempt: Exemption
  /** Where calls are counted; default: in this process. */
  readonly counters?: Counters | undefined
}

/** Whether a caller's address (undefined: no network is involved) frees it of limits. */
export type Exemption = (address: string | undefined) => boolean

/** Who is on this very machine (stdio, or loopback while developing) is not limited: storyboards, benchmarks and tests run there. */
export function exemptFromLimits({ mode }: { readonly mode: Mode }): Exemption {
  return (address) => address === undefined || (mode === 'development' && isLoopback(address))
}

/** A call whose caller is established. */
export interface CountedCall {
  readonly principal: PrincipalRef | undefined
  readonly isMutating: boolean
  readonly address: string | undefined
  /** What it counts as; default: one. */
  readonly calls?: number
}

/** Counts a call. Rejects with RATE_LIMITED (HTTP 429) when its caller has used up the window. */
export type CallLimits = (call: CountedCall) => Promise<void>

/**
 * Limits by who calls and what kind of task it is, so that a buyer who polls too often can still change its orders. Callers
 * without credentials are distinguished by address (IPv6 by its /64); a header never decides whose window is used up.
 */
export function createCallLimits(options: CallLimitOptions): CallLimits {
  const { windowSeconds, isExempt } = options
  const limit = (name: string, what: string, calls: number) =>
    createRateLimit({ name, what, limit: calls, windowSeconds, scope: 'global', counters: options.counters })
  const reads = limit('reads', 'calls', options.reads)
  const changes = limit('changes', 'calls that change something', options.changes)
  const anonymous = limit('anonymous', 'calls without credentials', options.anonymous)
  return async ({ principal, isMutating, address, calls = 1 }) => {
    if (isExempt(address)) return
    const [count, bucket] = principal
      ? [isMutating ? changes : reads, `${principal.tenantId} ${principal.principalId}`]
      : [anonymous, addressBucket(address ?? '')]
    for (let counted = 0; counted < calls; counted += 1) await count(bucket)
  }
}
