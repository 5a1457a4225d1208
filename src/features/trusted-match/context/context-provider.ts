import type { ContextRequest, ProviderContextAnswer } from '../../../domain/trusted-match/context/context-messages.ts'
import { type ContextPackage, offeredPackages } from '../../../domain/trusted-match/context/offered-packages.ts'
import { packagesOfSeller } from '../../../domain/trusted-match/match-package.ts'
import { MatchRefusal } from '../../../domain/trusted-match/match-refusal.ts'
import { knownPackages } from '../known-packages.ts'

export interface ContextProviderParts {
  readonly packages: () => Promise<readonly ContextPackage[]>
  /** Whether the packages changed a moment ago: routers are asked not to repeat an answer then (specification, "Caching"). */
  readonly changedLately: () => boolean
  readonly clock: () => Date
  /** Seconds for which routers may repeat an answer; a change of packages reaches them no sooner. */
  readonly cacheSeconds: number
}

/**
 * Matches contexts as a provider: an offer for each package that fits, which names the seller that it is bound to; none for a seller that has synced nothing
 * (specification, "Seller Agent Attribution"). Rejects as {@link knownPackages} does, and with MatchRefusal `unknown_package` when the request names packages and
 * its seller has synced others only, so that a sync that is missing is not taken for a match that is none.
 */
export function createContextProvider({
  packages,
  changedLately,
  clock,
  cacheSeconds,
}: ContextProviderParts): (request: ContextRequest) => Promise<ProviderContextAnswer> {
  return async (request) => {
    const known = await knownPackages(packages)
    const { seller_agent_url, package_ids: named = [] } = request
    const isMissing = named.length > 0 && packagesOfSeller(known, request).length === 0
    if (isMissing && packagesOfSeller(known, { seller_agent_url }).length > 0)
      throw new MatchRefusal('unknown_package', 'the seller has synced none of these package_ids; sync them first')
    const offered = offeredPackages(known, request, clock())
    return {
      status: 'completed',
      type: 'context_match_response',
      request_id: request.request_id,
      cache_ttl: changedLately() ? 0 : cacheSeconds,
      offers: offered.map(({ packageId, sellerAgentUrl }) => ({
        package_id: packageId,
        seller_agent: { agent_url: sellerAgentUrl },
      })),
    }
  }
}
