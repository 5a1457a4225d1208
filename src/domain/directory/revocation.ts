import type { Steps } from '../../platform/concurrency/steps.ts'
import type { Claim } from './claim.ts'
import type { RowStatus } from './lookup-query.ts'

/** A revoked domain stays blocked this long after it was last newly seen on the list, whatever `revoked_at` says. */
export const REVOCATION_HOLD_MS = 7 * 24 * 3_600_000

/** What a file's revocation list has said about one publisher. Survives restarts and the entry's removal. */
export interface Hold {
  readonly publisher: string
  /** The entry was on the list at the last refresh. */
  readonly listed: boolean
  /** Unix milliseconds of the latest refresh at which the entry appeared. */
  readonly firstObservedAt: number
  readonly earliestRevokedAt: number
}

/** A claim as the index keeps it between refreshes. */
export interface HeldClaim extends Claim {
  readonly status: RowStatus
  /** When the revocation was first observed, in Unix milliseconds; undefined for an authorized claim. */
  readonly observedAt: number | undefined
}

/**
 * Brings the holds of a file up to date with its list. An entry that reappears starts a new hold; a changed
 * `revoked_at` does not. Holds that are over and no longer listed are left out.
 */
export function observeRevocations(
  previous: readonly Hold[],
  revoked: ReadonlyMap<string, number>,
  now: number,
): readonly Hold[] {
  const known = new Map(previous.map((hold) => [hold.publisher, hold]))
  const holds: Hold[] = []
  for (const [publisher, revokedAt] of revoked) {
    const before = known.get(publisher)
    const continues = before?.listed === true
    holds.push({
      publisher,
      listed: true,
      firstObservedAt: continues ? before.firstObservedAt : now,
      earliestRevokedAt: Math.min(revokedAt, before?.earliestRevokedAt ?? revokedAt),
    })
  }
  for (const before of previous) {
    const unlisted = { ...before, listed: false }
    if (!revoked.has(before.publisher) && blocks(unlisted, now)) holds.push(unlisted)
  }
  return holds
}

/** Whether a hold keeps its publisher out at `now` (Unix milliseconds). */
export function blocks(hold: Hold, now: number): boolean {
  return hold.listed || now < hold.firstObservedAt + REVOCATION_HOLD_MS
}

/** Moment (Unix milliseconds) at which an unlisted hold ends and a refresh may grant again. */
export function holdEndsAt(hold: Hold): number {
  return hold.firstObservedAt + REVOCATION_HOLD_MS
}

/** When claims are derived, in Unix milliseconds. */
export interface DerivationTime {
  readonly now: number
  /** When the file was last fetched and validated. */
  readonly verifiedAt: number
  /** Time between two refreshes of a publisher. */
  readonly refreshMs: number
}

/**
 * The next claims of a file: what it grants and no hold blocks, and one tombstone for each claim that a listed
 * revocation takes away. A tombstone authorises no property; `totalOf` counts those that the file lists for its publisher. It is dropped by the first refresh that completes one refresh
 * interval or more after the revocation was observed: a file that several publishers lead to is fetched more than once
 * within one interval, and a client that polls once an interval has to see the tombstone.
 * Source: AdCP publisher directory page.
 */
export function* nextClaims(
  previous: readonly HeldClaim[],
  granted: readonly Claim[],
  holds: ReadonlyMap<string, Hold>,
  at: DerivationTime,
  totalOf: (claim: Claim) => Steps<number>,
): Steps<readonly HeldClaim[]> {
  const next: HeldClaim[] = []
  const kept = new Set<string>()
  for (const claim of granted) {
    yield
    const hold = holds.get(claim.publisher)
    if (hold && blocks(hold, at.now)) continue
    kept.add(claimKey(claim))
    next.push({ ...claim, status: 'authorized', observedAt: undefined })
  }
  for (const claim of previous) {
    yield
    const key = claimKey(claim)
    if (kept.has(key)) continue
    const revokes = claim.status === 'revoked' || holds.get(claim.publisher)?.listed === true
    const observedAt = claim.observedAt ?? at.now
    if (!revokes || at.verifiedAt >= observedAt + at.refreshMs) continue
    kept.add(key)
    next.push({ ...claim, propertyIds: [], total: yield* totalOf(claim), status: 'revoked', observedAt })
  }
  return next
}

function claimKey(claim: Claim): string {
  return `${claim.publisher} ${claim.agent}`
}
