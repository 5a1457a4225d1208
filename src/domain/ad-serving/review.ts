import type { DesiredOrder } from './desired-order.ts'
import type { ObservedLine, ObservedOrder, ReviewState } from './observed-order.ts'

/** What the people at an ad server decided on an order. */
export interface Review {
  readonly state: ReviewState
  /** Why it was rejected, for the buyer. */
  readonly reason?: string
}

/**
 * Reads the decision on an order that was brought to its ad server. An order that was not approved yet (`isPending`) is approved or rejected as a whole, and lapses
 * with its flight; one that was is rejected later when nothing of it is left.
 */
export function reviewOf(
  { settings, lines: wanted }: DesiredOrder,
  observed: ObservedOrder | undefined,
  { isPending, now }: { readonly isPending: boolean; readonly now: Date },
): Review {
  if (!observed) return { state: 'waiting' }
  const live = new Set(wanted.filter(({ state }) => state !== 'ended').map(({ externalId }) => externalId))
  const lines = observed.lines.filter(({ externalId, state }) => live.has(externalId ?? '') && state !== 'ended')
  const refused = lines.filter(({ state }) => state === 'rejected')
  if (observed.state === 'rejected') return rejected(observed.reason)
  if (refused.length > 0 && (isPending || refused.length === lines.length)) return rejected(observed.reason ?? namesOf(refused))
  if (observed.state !== 'waiting' && lines.every(({ state }) => state !== 'waiting')) return { state: 'approved' }
  if (isPending && settings.endsAt <= now.toISOString()) return rejected('it was not approved before its flight was over')
  return { state: 'waiting' }
}

function rejected(reason: string | undefined): Review {
  return { state: 'rejected', reason: `rejected by the ad server of the publisher: ${reason ?? 'no reason given'}` }
}

function namesOf(lines: readonly ObservedLine[]): string {
  return `packages ${lines.map(({ externalId }) => externalId).join(', ')}`
}

/** A creative that the ad server does not take. */
export interface RefusedCreative {
  /** Our id. */
  readonly externalId: string
  /** The content that was refused; what the buyer sends afterwards is another. */
  readonly contentVersion: string
  /** For the buyer. */
  readonly reason: string
}

/** Creatives of an order that its ad server rejected with the content that they have now. */
export function refusedCreatives(
  { creatives: wanted }: DesiredOrder,
  observed: ObservedOrder | undefined,
): readonly RefusedCreative[] {
  const refused = new Map(
    (observed?.creatives ?? []).filter(({ review }) => review?.state === 'rejected').map((each) => [each.externalId, each]),
  )
  return wanted.flatMap(({ externalId, contentVersion }) => {
    const found = refused.get(externalId)
    if (!found || (found.contentVersion ?? contentVersion) !== contentVersion) return []
    return [
      {
        externalId,
        contentVersion,
        reason: `rejected by the ad server of the publisher: ${found.review?.reason ?? 'no reason given'}`,
      },
    ]
  })
}
