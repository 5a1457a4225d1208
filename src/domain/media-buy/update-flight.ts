import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { instantOf } from '../calendar/instant.ts'
import { microsToAmount } from '../money.ts'
import { durationMs, flight } from './flight.ts'
import { isFreeDelivery } from './make-good.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'
import { isBilledByUnit, unitsOf } from './pricing.ts'

/** The flight of a buy after an update. Throws INVALID_REQUEST for a bound that is past, reversed or can no longer move. */
export function outerFlight(buy: MediaBuy, { start_time, end_time }: OrderChange, now: Date): Flight {
  const wanted = start_time === 'asap' ? now.toISOString() : start_time
  // A buy that has begun is already as soon as possible.
  const keeps = wanted === undefined || (start_time === 'asap' && Date.parse(buy.startsAt) <= now.getTime())
  if (!keeps) requireStartMovable(buy.startsAt, wanted, now, 'start_time')
  if (end_time !== undefined && instantOf(end_time, 'end_time') !== Date.parse(buy.endsAt))
    requireFuture(end_time, now, 'end_time')
  const start = keeps ? Date.parse(buy.startsAt) : Date.parse(wanted)
  return flight(start, end_time === undefined ? Date.parse(buy.endsAt) : Date.parse(end_time), 'end_time')
}

/** Packages that shared a bound with the buy move with it; the others keep their own, and free deliveries of make-goods get no longer. */
export function withDates(buy: MediaBuy, { startsAt, endsAt }: Flight): MediaBuy {
  if (startsAt === buy.startsAt && endsAt === buy.endsAt) return buy
  const packages = buy.packages.map((pkg): Package => {
    const { terms } = pkg
    const isFree = isFreeDelivery(buy, pkg)
    const keepsStart = terms.startsAt !== buy.startsAt || (isFree && startsAt < terms.startsAt)
    const keepsEnd = terms.endsAt !== buy.endsAt || (isFree && endsAt > terms.endsAt)
    const follows = { startsAt: keepsStart ? terms.startsAt : startsAt, endsAt: keepsEnd ? terms.endsAt : endsAt }
    return pkg.cancellation ? pkg : { ...pkg, terms: { ...terms, ...follows } }
  })
  return { ...buy, startsAt, endsAt, packages }
}

/** Whether a package is sold for one flight that cannot become longer: at a flat price that names no slot, or for the longest time that its price is for. */
export function isOfOneFlight({ pricing, terms }: Pick<Package, 'pricing' | 'terms'>): boolean {
  if (pricing.time) return unitsOf(pricing.time, terms) >= (pricing.time.max ?? Number.POSITIVE_INFINITY)
  return pricing.model === 'flat_rate' && pricing.slotHours === undefined
}

/**
 * A flat price that names no slot is the price of the flight as ordered: it moves and becomes shorter, not longer. `after` are the packages of `before`, in their
 * order. Throws INVALID_REQUEST naming the end of the package that would be longer.
 */
export function requireFlatFlights(before: readonly Package[], after: readonly Package[]): void {
  for (const [index, { packageId, pricing, terms }] of before.entries()) {
    const next = after[index]?.terms ?? terms
    if (pricing.time || !isOfOneFlight({ pricing, terms }) || durationMs(next) <= durationMs(terms)) continue
    const price = `${microsToAmount(terms.rateMicros)} ${pricing.currency}`
    const message = `the flat price of ${price} of package ${packageId} is for its flight ${terms.startsAt} to ${terms.endsAt}: the flight can move, not become longer`
    throw new AdcpError('INVALID_REQUEST', message, {
      field: 'end_time',
      suggestion: `keep its flight (packages: {"package_id": "${packageId}", "end_time": "${terms.endsAt}"}) and order the further time as a package of its own (new_packages), for ${price} again`,
    })
  }
}

/**
 * What is delivered for nothing, or for a price of the flight, is as much as was agreed: a package of a make-good that costs nothing keeps within the flight and the goal of its offer, and a flat or time price buys no
 * larger goal, nor a first one. `after` are the packages of `buy`, in their order. Throws INVALID_REQUEST naming the member.
 */
export function requireAgreedExtent(buy: MediaBuy, after: readonly Package[]): void {
  for (const [index, pkg] of buy.packages.entries()) {
    const { packageId, pricing, terms } = pkg
    const next = after[index]?.terms ?? terms
    const isFree = isFreeDelivery(buy, pkg)
    const goal = isFree ? terms.impressions : mostOf(terms.impressions, pricing.estimatedImpressions)
    const asked = next.impressions ?? goal
    const of = isFree ? 'the make-good' : 'its price'
    if ((isFree || !isBilledByUnit(pricing.model)) && asked !== undefined) {
      // What was sold without a number promises none: a first one would be owed, and made good, for the same price.
      if (goal === undefined)
        throw tooMuch(
          'impressions',
          `package ${packageId} has no goal of impressions; ${of} is for its flight`,
          'it takes none now',
        )
      if (asked > goal) throw tooMuch('impressions', `${goal} impressions of package ${packageId} are what ${of} is for`)
    }
    if (isFree && (next.endsAt > terms.endsAt || next.startsAt < terms.startsAt))
      throw tooMuch(
        next.endsAt > terms.endsAt ? 'end_time' : 'start_time',
        `package ${packageId} is a make-good for the flight ${terms.startsAt} to ${terms.endsAt}`,
      )
  }
}

function mostOf(...goals: readonly (number | undefined)[]): number | undefined {
  const known = goals.filter((goal) => goal !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

function tooMuch(field: string, why: string, allowed = 'it can become less, not more'): AdcpError {
  const suggestion = 'order what is wanted beyond it as a package of its own (new_packages)'
  return new AdcpError('INVALID_REQUEST', `${why}: ${allowed}`, { field, suggestion })
}

/** A start moves only while it is ahead, and only to a moment that is ahead. Naming the present start is no move. */
export function requireStartMovable(current: string, wanted: string, now: Date, field: string): void {
  if (instantOf(wanted, field) === Date.parse(current)) return
  if (Date.parse(current) <= now.getTime())
    throw new AdcpError('INVALID_REQUEST', `${field} cannot change: the flight has begun`, { field })
  requireFuture(wanted, now, field)
}

/** Throws INVALID_REQUEST naming `field` when a moment has passed. */
export function requireFuture(text: string, now: Date, field: string): void {
  if (instantOf(text, field) < now.getTime())
    throw new AdcpError('INVALID_REQUEST', `${field} ${text} is in the past: it is ${now.toISOString()}; send a later time`, {
      field,
    })
}
