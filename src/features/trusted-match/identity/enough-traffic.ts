import type { IdentityRequest, IdentityResponse } from '../../../domain/trusted-match/identity/identity-messages.ts'
import { mergeIdentity } from '../../../domain/trusted-match/identity/merge-identity.ts'

/** The rate is that of the last ten seconds. */
const WINDOW_MS = 10_000

/**
 * Withholds requests about users while fewer than `perSecond` come: with little traffic the times of two requests tell that they belong to one page view
 * (specification, "Temporal decorrelation"). No provider is asked then, and no package is eligible. `now`: milliseconds.
 */
export function withEnoughTraffic(
  { perSecond, now }: { readonly perSecond: number; readonly now: () => number },
  match: (request: IdentityRequest) => Promise<IdentityResponse>,
): (request: IdentityRequest) => Promise<IdentityResponse> {
  if (perSecond === 0) return match
  const wanted = Math.ceil((perSecond * WINDOW_MS) / 1000)
  // The newest `wanted` times, in a ring.
  const times = new Float64Array(wanted).fill(Number.NEGATIVE_INFINITY)
  const ring = { next: 0 }
  return async (request) => {
    const at = now()
    times[ring.next] = at
    ring.next = (ring.next + 1) % wanted
    const oldest = times[ring.next] ?? Number.NEGATIVE_INFINITY
    return at - oldest <= WINDOW_MS ? match(request) : mergeIdentity(request.request_id, [])
  }
}
