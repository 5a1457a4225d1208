import { AdcpError } from '../protocol/errors.ts'
import { ownValue } from './own-value.ts'

/** Money is an integer count of millionths of a currency unit: exact, comparable, the same on every storage engine. */
export const MICROS_PER_UNIT = 1_000_000

/**
 * Decimal digits of the currencies that do not have two, by ISO 4217. A budget must be payable, so it may not be finer than
 * the minor unit; a price may (a click can cost 0.0125 USD).
 */
const MINOR_DIGITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((c) => [c, 0])),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((c) => [c, 3])),
  CLF: 4,
  UYW: 4,
}

/** Whether a text is the code of a currency, as ISO 4217 writes it. */
export function isCurrency(text: string): boolean {
  return CURRENCIES.has(text)
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Digits after the decimal point in the smallest payable amount of a currency. */
export function minorDigits(currency: string): number {
  return ownValue(MINOR_DIGITS, currency) ?? 2
}

/** Micros in the smallest payable amount of a currency, e.g. 10,000 for one US cent. */
export function minorUnitMicros(currency: string): number {
  return 10 ** (6 - minorDigits(currency))
}

/**
 * A payable amount in micros. Throws INVALID_REQUEST naming `field` when it is finer than the currency's minor unit.
 */
export function budgetToMicros(amount: number, currency: string, field: string): number {
  return decimalToMicros(amount, minorDigits(currency), field)
}

/** A unit price in micros (up to six decimals). Throws INVALID_REQUEST naming `field` when it is finer or out of range. */
export function priceToMicros(price: number, field: string): number {
  return decimalToMicros(price, 6, field)
}

/** Micros as the decimal number of the wire: division of two exact integers, so the nearest double, which prints exactly. */
export function microsToAmount(micros: number): number {
  return micros / MICROS_PER_UNIT
}

/** `floor(a × b / c)` without overflow or rounding error. All arguments are safe integers, `c` is positive. */
export function mulDiv(a: number, b: number, c: number): number {
  return Number((BigInt(a) * BigInt(b)) / BigInt(c))
}

/** `ceil(a × b / c)` for non-negative safe integers. */
export function mulDivCeil(a: number, b: number, c: number): number {
  return Number((BigInt(a) * BigInt(b) + BigInt(c) - 1n) / BigInt(c))
}

/**
 * Splits `total` in proportion to `weights` into multiples of `step` whose sum is exactly `total` (largest remainder; ties go
 * to the earlier part). A remainder smaller than `step` stays with the first part. Weights are non-negative, not all zero.
 */
export function split(total: number, weights: readonly number[], step = 1): number[] {
  const scaled = weights.map((weight) => Math.round(weight * 1_000_000))
  const sum = scaled.reduce((a, b) => a + b, 0)
  if (sum <= 0) throw new RangeError('split needs a positive weight')
  const steps = Math.floor(total / step)
  // Most weights are equal (whole days): the exact arithmetic is done once for each that differs.
  const shares = new Map([...new Set(scaled)].map((weight) => [weight, shareOf(steps, weight, sum)] as const))
  const parts = scaled.map((weight) => shares.get(weight)?.whole ?? 0)
  let missing = steps - parts.reduce((a, b) => a + b, 0)
  const rests = [...new Set([...shares.values()].map(({ rest }) => rest))].sort((a, b) => (a > b ? -1 : 1))
  for (const rest of rests) {
    for (let index = 0; index < parts.length && missing > 0; index++) {
      if (shares.get(scaled[index] ?? 0)?.rest !== rest) continue
      parts[index] = (parts[index] ?? 0) + 1
      missing--
    }
    if (missing <= 0) break
  }
  return parts.map((part, index) => part * step + (index === 0 ? total - steps * step : 0))
}

/** Why a price cannot be charged as it is stated: it is booked in millionths; undefined: it can. */
export function priceFault(price: number): string | undefined {
  try {
    priceToMicros(price, 'price')
    return undefined
  } catch (error) {
    if (error instanceof AdcpError) return 'must be a number from 0 with at most 6 decimal places'
    throw error
  }
}

/** `steps × weight / sum` as a whole number and what remains. */
function shareOf(steps: number, weight: number, sum: number): { readonly whole: number; readonly rest: bigint } {
  const product = BigInt(steps) * BigInt(weight)
  return { whole: Number(product / BigInt(sum)), rest: product % BigInt(sum) }
}

/**
 * A JSON number is a binary double; 15 significant digits are what every decimal survives a round trip with (IEEE 754), so the
 * decimal that the sender wrote is recovered exactly and the noise of 0.1 + 0.2 is not taken for precision.
 */
function decimalToMicros(amount: number, digits: number, field: string): number {
  const outOfRange = () => new AdcpError('INVALID_REQUEST', `${field} is out of range`, { field })
  // A text or a JSON number of more than 308 digits is read as infinite.
  if (!Number.isFinite(amount) || amount < 0) throw outOfRange()
  const [mantissa = '0', exponent = '0'] = amount.toExponential(14).split('e')
  const scaled = BigInt(mantissa.replace('.', ''))
  const shift = Number(exponent) - 14 + 6
  const micros = shift >= 0 ? scaled * 10n ** BigInt(Math.min(shift, 30)) : scaled / 10n ** BigInt(-shift)
  const exact = shift >= 0 || scaled % 10n ** BigInt(-shift) === 0n
  if (micros > BigInt(Number.MAX_SAFE_INTEGER)) throw outOfRange()
  if (!exact || micros % 10n ** BigInt(6 - digits) !== 0n) {
    throw new AdcpError('INVALID_REQUEST', `${field} has more than ${digits} decimal places`, { field })
  }
  return Number(micros)
}

/** The currency (ISO 4217) of a publisher that chose none. */
export const DEFAULT_CURRENCY = 'USD'
