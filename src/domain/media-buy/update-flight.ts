import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { instantOf } from '../calendar/instant.ts'
import { microsToAmount } from '../money.ts'
import { durationMs, flight } from './flight.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'

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

/** Packages that shared a bound with the buy move with it; the others keep their own. */
export function withDates(buy: MediaBuy, { startsAt, endsAt }: Flight): MediaBuy {
  if (startsAt === buy.startsAt && endsAt === buy.endsAt) return buy
  const packages = buy.packages.map((pkg): Package => {
    const { terms } = pkg
    const follows = {
      startsAt: terms.startsAt === buy.startsAt ? startsAt : terms.startsAt,
      endsAt: terms.endsAt === buy.endsAt ? endsAt : terms.endsAt,
    }
    return pkg.cancellation ? pkg : { ...pkg, terms: { ...terms, ...follows } }
  })
  return { ...buy, startsAt, endsAt, packages }
}

/**
 * A flat price that names no slot is the price of the flight as ordered: it moves and becomes shorter, not longer. `after` are the packages of `before`, in their
 * order. Throws INVALID_REQUEST naming the end of the package that would be longer.
 */
export function requireFlatFlights(before: readonly Package[], after: readonly Package[]): void {
  for (const [index, { packageId, pricing, terms }] of before.entries()) {
    const next = after[index]?.terms ?? terms
    if (pricing.model !== 'flat_rate' || pricing.slotHours !== undefined || durationMs(next) <= durationMs(terms)) continue
    const price = `${microsToAmount(terms.rateMicros)} ${pricing.currency}`
    const message = `the flat price of ${price} of package ${packageId} is for its flight ${terms.startsAt} to ${terms.endsAt}: the flight can move, not become longer`
    throw new AdcpError('INVALID_REQUEST', message, {
      field: 'end_time',
      suggestion: `order the further time as a package of its own (new_packages), for ${price} again`,
    })
  }
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
    throw new AdcpError('INVALID_REQUEST', `${field} ${text} is in the past: it is ${now.toISOString()}`, { field })
}
