import { HOUR_MS } from '../calendar/instant.ts'
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
 * The part of a flat price that an amount is: units of time at their price; else the whole price; else hours of those of the flight, where the amount is what whole hours cost; else a per cent of the
 * price. Less than zero for an amount that is given back. Undefined for a price of nothing.
 */
export function flatPart(amountMicros: number, { priceMicros, startsAt, endsAt, time }: FlatPrice): FlatPart | undefined {
  if (priceMicros <= 0) return undefined
  if (time && time.rateMicros > 0) {
    const { unit, rateMicros } = time
    return { unit: TIME_UNITS[unit], quantity: rounded(amountMicros / rateMicros, 6), per: 1, rateMicros }
  }
  if (Math.abs(amountMicros) === priceMicros)
    return { unit: 'fee', quantity: Math.sign(amountMicros), per: 1, rateMicros: priceMicros }
  const hours = (Date.parse(endsAt) - Date.parse(startsAt)) / HOUR_MS
  const part = Math.round((Math.abs(amountMicros) * hours) / priceMicros)
  if (Number.isInteger(hours) && part > 0 && Math.abs(mulDiv(priceMicros, part, hours) - Math.abs(amountMicros)) <= CUT)
    return { unit: 'hours', quantity: Math.sign(amountMicros) * part, per: hours, rateMicros: priceMicros }
  return { unit: 'percent', quantity: rounded((amountMicros / priceMicros) * 100, 4), per: 100, rateMicros: priceMicros }
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
