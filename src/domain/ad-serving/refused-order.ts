import type { Review } from './review.ts'

/** How long the publisher's people have to mend what an ad server refuses: they hear of it at once, and a day has their working hours in it. */
export const MEND_MS = 24 * 3_600_000

/** An order at an ad server that refuses it. */
interface RefusedOrder {
  readonly refusedSince: string | undefined
  /** The order as it was brought there last. */
  readonly written: unknown
  readonly review: Review['state'] | undefined
}

/**
 * Whether a refusal ends the order: it is about the order and not about our setup, nothing of the order was ever brought there whole, and {@link MEND_MS} are over. What
 * serves already goes on as it is, whatever change of it is refused. Once: an order that was rejected stays so.
 */
export function isForGood(
  { refusedSince, written, review }: RefusedOrder,
  { of }: { readonly of: 'order' | 'setup' },
  now: Date,
): boolean {
  if (of !== 'order' || refusedSince === undefined || written !== undefined || review === 'rejected') return false
  return now.getTime() >= Date.parse(refusedSince) + MEND_MS
}

/** The decision that becomes of it, as if people there had made it. */
export function refusedForGood(reason: string): Review {
  return { state: 'rejected', reason: `refused by the ad server of the publisher: ${reason}` }
}

/** When a refused order ends unless it is mended, ISO 8601 UTC; undefined: it does not. */
export function endsRefusedAt({
  refusedSince,
  isThere,
}: {
  readonly refusedSince: string | undefined
  readonly isThere: boolean
}): string | undefined {
  if (refusedSince === undefined || isThere) return undefined
  return new Date(Date.parse(refusedSince) + MEND_MS).toISOString()
}
