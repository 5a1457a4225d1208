import type { Flight } from '../calendar/flight.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import type { Package } from './media-buy.ts'
import type { Pacing } from './order-request.ts'
import { isBilledByUnit } from './pricing.ts'

/** How delivery compares with the plan: within a tenth of it or a hundredth of the whole, or not. `none` before the flight and for orders that will not deliver. */
export const PACING_STATES = ['none', 'behind', 'on_track', 'ahead'] as const
export type PacingState = (typeof PACING_STATES)[number]

/** Shares are of the whole, 0 to 1, rounded to a ten-thousandth. */
export interface Progress {
  /** Of the flight that has passed. */
  readonly elapsed: number
  /** Of what was ordered that was delivered. */
  readonly delivered: number
  /** Of the budget that was earned: a flat price is earned by the day, whatever was delivered for it. */
  readonly recognized: number
  /** Of what was ordered that would be delivered by now at the pacing that was ordered. */
  readonly expected: number
  readonly state: PacingState
}

/** A part of an order: how much of the whole it is, and the shares of it that were delivered and earned. */
export interface ProgressPart extends Flight {
  readonly pacing: Pacing
  readonly weight: number
  readonly delivered: number
  readonly recognized: number
}

/** What was counted of a part of an order. */
export interface Counted {
  readonly spendMicros: number
  readonly impressions: number
}

/** Delivery may be off the plan by this share of it before it counts. */
const TOLERANCE = 0.1
/** And by this share of the whole: in the first hours of a flight a tenth of the plan is next to nothing. */
const LEAST_DEVIATION = 0.01

/** What has passed of a flight before being off its plan is worth a look. */
const LEAST_ELAPSED = 0.1

const WHOLE = 10_000

/** Progress of a flight from its parts; `now` is compared with the flights. */
export function progressOf(flight: Flight, parts: readonly ProgressPart[], status: MediaBuyStatus, now: Date): Progress {
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0)
  const share = (of: (part: ProgressPart) => number) =>
    whole > 0 ? rounded(parts.reduce((sum, part) => sum + part.weight * of(part), 0) / whole) : 0
  const shares = {
    elapsed: rounded(elapsedShare(flight, now)),
    delivered: share(({ delivered }) => delivered),
    recognized: share(({ recognized }) => recognized),
    expected: share((part) => expectedShare(part, now)),
  }
  return { ...shares, state: stateOf(shares, status) }
}

/**
 * A package as a part of its order, weighed by its budget. What is billed by unit is delivered as far as it is spent; a flat price is earned as time passes, so its
 * delivery is the share of the impressions that were ordered or estimated, where there are any.
 */
export function partOf(
  { pricing, terms }: Pick<Package, 'pricing' | 'terms'>,
  { spendMicros, impressions }: Counted,
): ProgressPart {
  const { startsAt, endsAt, pacing, budgetMicros: weight } = terms
  const recognized = weight > 0 ? spendMicros / weight : 0
  const goal = flatGoal({ pricing, terms })
  const delivered = goal === undefined ? recognized : impressions / goal
  return { startsAt, endsAt, pacing, weight, delivered, recognized }
}

/** The impressions that were ordered or estimated for a flat price; undefined: none, or it is billed by unit. */
export function flatGoal({ pricing, terms }: Pick<Package, 'pricing' | 'terms'>): number | undefined {
  return isBilledByUnit(pricing.model) ? undefined : (terms.impressions ?? pricing.estimatedImpressions) || undefined
}

function stateOf({ delivered, expected }: Omit<Progress, 'state'>, status: MediaBuyStatus): PacingState {
  if (expected === 0 || status === 'canceled' || status === 'rejected' || status === 'pending_start') return 'none'
  const tolerated = Math.max(expected * TOLERANCE, LEAST_DEVIATION)
  if (delivered < expected - tolerated) return 'behind'
  return delivered > expected + tolerated ? 'ahead' : 'on_track'
}

/** Which way delivery is off its plan; undefined within the first tenth of a flight, which says little about the rest. */
export function offPlan({ state, elapsed }: Pick<Progress, 'state' | 'elapsed'>): 'behind' | 'ahead' | undefined {
  return elapsed >= LEAST_ELAPSED && (state === 'behind' || state === 'ahead') ? state : undefined
}

/** What a part would have delivered by now: the pacings of core/pacing.json. */
function expectedShare(part: ProgressPart, now: Date): number {
  const elapsed = elapsedShare(part, now)
  // As fast as the inventory allows has no plan but the even one, which it should not fall behind.
  return part.pacing === 'front_loaded' ? 1 - (1 - elapsed) ** 2 : elapsed
}

function elapsedShare({ startsAt, endsAt }: Flight, now: Date): number {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  return Math.min(1, Math.max(0, (now.getTime() - start) / (end - start)))
}

function rounded(share: number): number {
  return Math.round(share * WHOLE) / WHOLE
}
