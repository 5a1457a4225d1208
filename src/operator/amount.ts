import { budgetToMicros, minorDigits, priceToMicros } from '../domain/money.ts'
import { readNumber, twoReadings } from '../domain/product/read-number.ts'
import { AdcpError } from '../protocol/errors.ts'
import { atMost, type Field, text } from './fields.ts'

/** The field of a number as a person writes it, with a decimal point or comma. */
export function numberText(about: string): Field<string, false> {
  return atMost(40, text(about))
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
