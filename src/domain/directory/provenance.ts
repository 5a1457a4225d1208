import { DISCOVERY_METHODS, type DiscoveryMethod } from './claim.ts'
import type { RowStatus } from './lookup-query.ts'

/** What decides between the claims that several routes make for one agent and publisher. */
export interface Contender {
  readonly method: DiscoveryMethod
  readonly manager: string | null
  readonly status: RowStatus
  /** The claim comes from the publisher's own walk, not from a manager's file alone. */
  readonly own: boolean
  /** The file that holds it, as an id. */
  readonly file: string
}

/** What decides about all claims on a publisher: what it says itself, and what the operator of this directory says of it. */
export interface PublisherWord {
  /**
   * Its own address has answered that it has no file: only then managers' claims about it count. A file of its own decides instead, one that cannot be used
   * is no consent to what strangers claim, and of a publisher that nobody has reached it is unknown whether it has one.
   */
  readonly hasNoFile: boolean
  /** Its own list revokes it, or did within the hold: no route may grant. */
  readonly selfRevoked: boolean
  /** The operator of this directory has removed or blocked it: it has no rows. */
  readonly excluded?: boolean
}

/**
 * The claim that the directory shows for one agent and publisher, or undefined: strict order of trust, granted before
 * tombstone, then the manager, and of one host the file, that sorts first so that the answer does not depend on the order of crawls.
 * Source: AdCP publisher directory page (trust profile), AdCP directory page (divergence rule).
 */
export function shownClaim<T extends Contender>(claims: readonly T[], word: PublisherWord): T | undefined {
  let best: T | undefined
  for (const claim of claims) {
    if (!mayShow(claim, word)) continue
    if (best === undefined || compare(claim, best) < 0) best = claim
  }
  return best
}

function mayShow(claim: Contender, word: PublisherWord): boolean {
  if (word.excluded) return false
  if (word.selfRevoked) return claim.own && claim.status === 'revoked'
  return claim.own || word.hasNoFile
}

function compare(a: Contender, b: Contender): number {
  if (a.status !== b.status) return a.status === 'authorized' ? -1 : 1
  const byTrust = DISCOVERY_METHODS.indexOf(a.method) - DISCOVERY_METHODS.indexOf(b.method)
  if (byTrust !== 0) return byTrust
  if (a.manager !== b.manager) return (a.manager ?? '') < (b.manager ?? '') ? -1 : 1
  return a.file < b.file ? -1 : 1
}
