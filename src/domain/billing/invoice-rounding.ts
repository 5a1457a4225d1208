import { minorUnitMicros } from '../money.ts'

/** Rounds to the smallest payable amount of a currency; a half is rounded away from zero. Micros. */
export function payableMicros(micros: number, currency: string): number {
  return roundedTo(micros, minorUnitMicros(currency))
}

/**
 * Exact amounts in payable ones that add up to their payable sum: each is what the rounded running sum grows by. Micros, in the order given.
 */
export function payableParts(exact: readonly number[], currency: string): readonly number[] {
  const unit = minorUnitMicros(currency)
  let [sum, shown] = [0, 0]
  return exact.map((micros) => {
    sum += micros
    const part = roundedTo(sum, unit) - shown
    shown += part
    return part
  })
}

/** A percentage of an amount, rounded down to the micro towards zero. `percent` has at most two decimals. */
export function percentOf(micros: number, percent: number): number {
  const product = BigInt(micros) * BigInt(Math.round(percent * 100))
  return Number(product / 10_000n)
}

/** The payable tax on a payable amount, micros; a half of the smallest amount is rounded away from zero. */
export function taxMicros(netMicros: number, percent: number, currency: string): number {
  const unit = BigInt(minorUnitMicros(currency))
  const product = BigInt(Math.abs(netMicros)) * BigInt(Math.round(percent * 100))
  const rounded = (2n * product + 10_000n * unit) / (20_000n * unit)
  return Math.sign(netMicros) * Number(rounded * unit)
}

/** The tax of each payable amount, so that they add up to the tax of their sum: each is what the tax of the running sum grows by. Micros, in the order given. */
export function taxParts(net: readonly number[], percent: number, currency: string): readonly number[] {
  let [sum, shown] = [0, 0]
  return net.map((micros) => {
    sum += micros
    const part = taxMicros(sum, percent, currency) - shown
    shown += part
    return part
  })
}

function roundedTo(micros: number, unit: number): number {
  return Math.sign(micros) * Math.round(Math.abs(micros) / unit) * unit
}
