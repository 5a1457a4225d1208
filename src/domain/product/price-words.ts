import { money } from '../summary/summary-text.ts'

/** What a price is told by, of any release. Major units of the currency. */
interface Priced {
  readonly pricing_option_id: string
  readonly currency: string
  readonly fixed_price?: unknown
  readonly floor_price?: unknown
  readonly min_spend_per_package?: unknown
}

/** A price in a few words: `cpm 12 USD (min 500)`, `auction bid from 3 USD`. */
export function priceWords(option: Priced): string {
  const { pricing_option_id, currency, fixed_price: fixed, floor_price: floor, min_spend_per_package: least } = option
  const price =
    typeof fixed === 'number'
      ? money(fixed, currency)
      : typeof floor === 'number'
        ? `bid from ${money(floor, currency)}`
        : currency
  return `${pricing_option_id} ${price}${typeof least === 'number' ? ` (min ${least})` : ''}`
}
