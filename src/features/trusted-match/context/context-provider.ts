import type { ContextRequest, ProviderContextAnswer } from '../../../domain/trusted-match/context/context-messages.ts'
import { type ContextPackage, offeredPackages } from '../../../domain/trusted-match/context/offered-packages.ts'
import { knownPackages } from '../known-packages.ts'

export interface ContextProviderParts {
  readonly packages: () => Promise<readonly ContextPackage[]>
  readonly clock: () => Date
  /** Seconds for which routers may repeat an answer; a change of packages reaches them no sooner. */
  readonly cacheSeconds: number
}

/** Matches contexts as a provider: an offer for each package that fits, which names the seller that it is bound to. Rejects as {@link knownPackages} does. */
export function createContextProvider({
  packages,
  clock,
  cacheSeconds,
}: ContextProviderParts): (request: ContextRequest) => Promise<ProviderContextAnswer> {
  return async (request) => {
    const offered = offeredPackages(await knownPackages(packages, request), request, clock())
    return {
      status: 'completed',
      type: 'context_match_response',
      request_id: request.request_id,
      cache_ttl: cacheSeconds,
      offers: offered.map(({ packageId, sellerAgentUrl }) => ({
        package_id: packageId,
        seller_agent: { agent_url: sellerAgentUrl },
      })),
    }
  }
}
