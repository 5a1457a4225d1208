import { mulDiv } from '../money.ts'
import type { MediaBuyStatus, OrderTerms, Package } from './media-buy.ts'

/** How delivery compares with the plan: within a tenth of it or a hundredth of the budget, or not. `none` before the flight and for orders that will not deliver. */
export type PacingState = 'none' | 'behind' | 'on_track' | 'ahead'

/** Shares are of the whole, 0 to 1, rounded to a ten-thousandth. */
export interface Progress {
  /** Of the flight that has passed. */
  readonly elapsed: number
  /** Of the budget that is spent. */
  readonly delivered: number
  /** Of the budget that would be spent by now at the pacing that was ordered. */
  readonly expected: number
  readonly state: PacingState
}

/** Delivery may be off the plan by this share of it before it counts. */
const TOLERANCE = 0.1
/** And by this share of the budget: in the first hours of a flight a tenth of the plan is next to nothing. */
const LEAST_DEVIATION = 0.01

const WHOLE = 10_000

/** Progress of an order from what it has spent. `now` is compared with the flight; amounts are micros. */
export function progressOf(
  buy: { readonly startsAt: string; readonly endsAt: string; readonly packages: readonly Package[] },
  status: MediaBuyStatus,
  spentMicros: number,
  now: Date,
): Progress {
  const live = buy.packages.filter(({ cancellation }) => !cancellation)
  const budget = live.reduce((sum, { terms }) => sum + terms.budgetMicros, 0)
  const planned = live.reduce(
    (sum, { terms }) => sum + mulDiv(terms.budgetMicros, Math.round(expectedShare(terms, now) * WHOLE), WHOLE),
    0,
  )
  const [delivered, expected] = [spentMicros, planned].map((micros) => (budget > 0 ? rounded(micros / budget) : 0))
  const shares = { elapsed: rounded(elapsedShare(buy, now)), delivered: delivered ?? 0, expected: expected ?? 0 }
  return { ...shares, state: stateOf(shares, status) }
}

function stateOf({ delivered, expected }: Omit<Progress, 'state'>, status: MediaBuyStatus): PacingState {
  if (expected === 0 || status === 'canceled' || status === 'rejected' || status === 'pending_start') return 'none'
  const tolerated = Math.max(expected * TOLERANCE, LEAST_DEVIATION)
  if (delivered < expected - tolerated) return 'behind'
  return delivered > expected + tolerated ? 'ahead' : 'on_track'
}

/** What a package would have spent of its budget by now: the pacings of core/pacing.json. */
function expectedShare(terms: OrderTerms, now: Date): number {
  const elapsed = elapsedShare(terms, now)
  // As fast as the inventory allows has no plan but the even one, which it should not fall behind.
  return terms.pacing === 'front_loaded' ? 1 - (1 - elapsed) ** 2 : elapsed
}

function elapsedShare({ startsAt, endsAt }: { readonly startsAt: string; readonly endsAt: string }, now: Date): number {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  return Math.min(1, Math.max(0, (now.getTime() - start) / (end - start)))
}

function rounded(share: number): number {
  return Math.round(share * WHOLE) / WHOLE
}
