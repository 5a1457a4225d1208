import { isRunning, type MatchPackage, packagesOfSeller } from '../match-package.ts'
import type { IdentityRequest } from './identity-messages.ts'

/** What a package asks of a user. */
export interface UserRules {
  /** The user has to be in one of these audiences; absent: in any or none. */
  readonly audiences?: readonly string[]
  /** The user must be in none of these. */
  readonly audiencesExcluded?: readonly string[]
  /** Labels that its impressions count for; empty: impressions of a user are not limited. */
  readonly capLabels: readonly string[]
}

export interface IdentityPackage extends MatchPackage {
  readonly user: UserRules
}

/** What is known of the user of a request, by all tokens together. */
export interface UserFacts {
  readonly audiences: ReadonlySet<string>
  /** Ids of packages whose frequency cap is used up. */
  readonly capped: ReadonlySet<string>
}

/** The packages that a request asks about and that run now. Unknown ids of the request are ignored (specification, "Package set decorrelation"). */
export function candidatePackages(
  packages: readonly IdentityPackage[],
  request: IdentityRequest,
  now: Date,
): readonly IdentityPackage[] {
  return packagesOfSeller(packages, request).filter((each) => isRunning(each, now))
}

/**
 * The packages that a user may see (specification, "Conformance invariants for IdentityMatch eligibility"). `facts` undefined: the user's tokens may
 * not be processed, so that only packages are left which ask nothing of a user.
 */
export function eligiblePackages(
  candidates: readonly IdentityPackage[],
  facts: UserFacts | undefined,
): readonly IdentityPackage[] {
  if (facts === undefined) return candidates.filter(({ user }) => !asksOfUsers(user))
  return candidates.filter(
    ({ packageId, user: { audiences, audiencesExcluded = [] } }) =>
      (audiences?.some((id) => facts.audiences.has(id)) ?? true) &&
      !audiencesExcluded.some((id) => facts.audiences.has(id)) &&
      !facts.capped.has(packageId),
  )
}

/** Whether it takes knowledge of a user to decide about a package. */
export function asksOfUsers({ audiences, audiencesExcluded, capLabels }: UserRules): boolean {
  return audiences !== undefined || audiencesExcluded !== undefined || capLabels.length > 0
}
