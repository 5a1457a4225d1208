import { DAY_MS, HOUR_MS } from '../calendar/instant.ts'
import type { LocalCalendar } from '../calendar/local-time.ts'
import { passedDays } from '../calendar/passed-days.ts'
import { mulDiv } from '../money.ts'
import type { BilledUnit } from './billed-quantity.ts'

/** Units that a price by time is stated in. */
export const TIME_UNITS = { hour: 'hours', day: 'days', week: 'weeks', month: 'months' } as const

/** What a flight costs that is not paid by units: its whole price, and the price of a unit of time where it is sold by that. */
export interface FlatPrice {
  readonly priceMicros: number
  /** ISO 8601. */
  readonly startsAt: string
  readonly endsAt: string
  readonly time?: { readonly unit: keyof typeof TIME_UNITS; readonly rateMicros: number } | undefined
}

/** How an invoice states an amount of a flat price: `quantity` of so many units as `rateMicros` buys `per` of. */
export interface FlatPart {
  readonly unit: 'fee' | 'percent' | (typeof TIME_UNITS)[keyof typeof TIME_UNITS]
  readonly quantity: number
  readonly per: number
  readonly rateMicros: number
}

/** What a line of an invoice counts. */
export type InvoicedUnit = BilledUnit | FlatPart['unit']

/** Micros by which parts of a price differ from the exact share, since the amounts of hours are cut to the micro. */
const CUT = 2

/**
 * The part of a flat price that an amount is: units of time at their price; else the whole price; else days of those that the flight has in the publisher's `calendar`, or hours of those that it has; else a per cent of the price. Less than zero for an amount that is given back. Undefined for a price of nothing.
 */
export function flatPart(
  amountMicros: number,
  { priceMicros, startsAt, endsAt, time }: FlatPrice,
  calendar: LocalCalendar,
): FlatPart | undefined {
  if (priceMicros <= 0) return undefined
  if (time && time.rateMicros > 0) {
    const { unit, rateMicros } = time
    return { unit: TIME_UNITS[unit], quantity: rounded(amountMicros / rateMicros, 6), per: 1, rateMicros }
  }
  const sign = Math.sign(amountMicros)
  const rateMicros = priceMicros
  if (Math.abs(amountMicros) === priceMicros) return { unit: 'fee', quantity: sign, per: 1, rateMicros }
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  const { msAt } = passedDays(calendar)
  const length = msAt(end) - msAt(start)
  const partOf = (of: number) => wholePart(Math.abs(amountMicros), priceMicros, of)
  const days = partOf(length / DAY_MS)
  if (days !== undefined) return { unit: 'days', quantity: sign * days, per: length / DAY_MS, rateMicros }
  // A day of 23 or 25 hours is one day: its hours are not those of other days.
  const hours = length === end - start ? partOf(length / HOUR_MS) : undefined
  if (hours !== undefined) return { unit: 'hours', quantity: sign * hours, per: length / HOUR_MS, rateMicros }
  return { unit: 'percent', quantity: rounded((amountMicros / priceMicros) * 100, 8), per: 100, rateMicros }
}

/** How many of so many equal parts of a price an amount is; undefined: it is no whole number of them. */
function wholePart(micros: number, priceMicros: number, of: number): number | undefined {
  const part = Math.round((micros * of) / priceMicros)
  return Number.isInteger(of) && part > 0 && Math.abs(mulDiv(priceMicros, part, of) - micros) <= CUT ? part : undefined
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
