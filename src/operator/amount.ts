import { budgetToMicros, minorDigits, priceToMicros } from '../domain/money.ts'
import { readNumber, twoReadings } from '../platform/decode/read-number.ts'
import { AdcpError } from '../protocol/errors.ts'
import { atMost, type Field, text } from './fields.ts'

/** What amounts are that people charge and give back: nothing is taken from them, and tax is added. */
export const NET = 'after discount and commission, without tax'

/** The field of a number as a person writes it, with a decimal point or comma. */
export function numberText(about: string): Field<string, false> {
  const asText = atMost(40, text(about))
  const clean = (value: unknown) => (typeof value === 'number' ? String(value) : asText.clean?.(value))
  return { ...asText, schema: { ...asText.schema, type: ['string', 'number'] }, clean }
}

/** An amount of money, or a word that means that there is none: `{ above: 'none' }`. On the command line and in forms as people write amounts; what can be read in two ways is none. */
export function amountOr<const W extends string>(none: W, about: string): Field<number | W, false> {
  const check = (value: unknown): value is number | W => value === none || (typeof value === 'number' && value >= 0)
  const parse = (value: string) => {
    const amount = value === none ? undefined : readNumber(value, { whole: false })
    return typeof amount === 'number' ? amount : value
  }
  const schema = {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', maxLength: 40 },
    ],
  }
  const words = `an amount from 0 that can be read in one way, such as 10000 or 12.50, or ${none}`
  const clean = (value: unknown) => (typeof value === 'string' ? parse(value) : value)
  return { about, schema, required: false, words, check, parse, clean }
}

/** A payable amount in micros as a person writes it, with a decimal point or comma as imports take them; `other`: what may stand in its place. Throws INVALID_REQUEST for `amount`. */
export function readAmount(text: string, currency: string, other = ''): number {
  const field = 'amount'
  const amount = readNumber(text, { whole: false })
  if (amount === 'ambiguous')
    throw new AdcpError('INVALID_REQUEST', `amount ${twoReadings(text, minorDigits(currency))}`, { field })
  if (amount === undefined)
    throw new AdcpError('INVALID_REQUEST', `amount must be a number, e.g. 1200.50 or 1200,50${other}`, { field })
  return budgetToMicros(amount, currency, field)
}

/** The same of what is paid or charged, which is more than nothing. Throws INVALID_REQUEST for `amount`. */
export function readPaidAmount(text: string, currency: string): number {
  const micros = readAmount(text, currency)
  if (micros === 0) throw new AdcpError('INVALID_REQUEST', 'amount must be more than 0', { field: 'amount' })
  return micros
}

/** Micros of an amount as a person writes it; null for the word that means none. Throws INVALID_REQUEST, naming `field`. */
export function readLimit(text: string, field: string, none: string): number | null {
  if (text === none) return null
  const amount = readNumber(text, { whole: false })
  if (amount === 'ambiguous') throw new AdcpError('INVALID_REQUEST', `${field} ${twoReadings(text)}`, { field })
  if (amount === undefined) throw new AdcpError('INVALID_REQUEST', `"${text}" is neither an amount nor "${none}"`, { field })
  return priceToMicros(amount, field)
}

/** A price of a unit or an exact sum, which are no amounts that are paid: as many digits as its currency has, and more as far as it has them, to the micro: "12.50", "1.234567". */
export function exactText(value: number, currency: string): string {
  const [whole = '', parts = ''] = value.toFixed(6).split('.')
  const digits = parts.replace(/0{1,6}$/, '').padEnd(minorDigits(currency), '0')
  return digits === '' ? whole : `${whole}.${digits}`
}

/** An amount with as many digits as its currency has: "12.50", "1250". */
export function amountText(amount: number, currency: string): string {
  return amount.toFixed(minorDigits(currency))
}
