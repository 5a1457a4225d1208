import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import { canonicalSeller } from './match-package.ts'

/** One package of a sync (trusted-match/available-package.json), judged by that schema. */
export interface AvailablePackage {
  readonly package_id: string
  readonly media_buy_id: string
  readonly seller_agent: { readonly agent_url: string }
}

/** Addresses and reasons come from others. */
const MAX_MESSAGE = 500

/** What a provider says of one package that it did not take (trusted-match/error.json). */
export interface RefusedPackage {
  readonly type: 'error'
  /** Id of the package. */
  readonly request_id: string
  readonly code: 'seller_not_authorized' | 'invalid_request'
  readonly message: string
}

/**
 * Divides the packages that one enrolled seller syncs: those that are its own, and an error for each other one (specification, "Sync-Time Validation"). A
 * package that comes twice counts once, as it came last.
 */
export function* ownPackages<Package extends AvailablePackage>(
  packages: readonly Package[],
  agentUrl: string,
): Steps<{ readonly own: readonly Package[]; readonly refused: readonly RefusedPackage[] }> {
  const seller = canonicalSeller(agentUrl)
  const own = new Map<string, Package>()
  const others: Package[] = []
  yield* mapSteps(packages, (each) => {
    if (canonicalSeller(each.seller_agent.agent_url) === seller) own.set(each.package_id, each)
    else others.push(each)
  })
  return {
    own: [...own.values()],
    refused: notAuthorised(others, 'seller_agent.agent_url is not the seller agent that this key is for'),
  }
}

/** An error for each of these packages, `seller_not_authorized`. */
export function notAuthorised(packages: readonly AvailablePackage[], message: string): readonly RefusedPackage[] {
  return packages.map(({ package_id }) => ({
    type: 'error',
    request_id: package_id,
    code: 'seller_not_authorized',
    message: message.slice(0, MAX_MESSAGE),
  }))
}
