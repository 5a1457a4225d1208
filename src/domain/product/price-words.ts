import { money } from '../summary/summary-text.ts'
import { startDaysOf, startWords } from './season.ts'

/** What a price is told by, of any release. Major units of the currency. */
interface Priced {
  readonly currency: string
  readonly fixed_price?: unknown
  readonly floor_price?: unknown
  readonly min_spend_per_package?: unknown
  readonly ext?: unknown
}

/** A price alone: `12 USD`, `bid from 3 USD`; the currency where neither is known. */
export function amountWords({ currency, fixed_price: fixed, floor_price: floor }: Priced): string {
  if (typeof fixed === 'number') return money(fixed, currency)
  return typeof floor === 'number' ? `bid from ${money(floor, currency)}` : currency
}

/** A price in a few words: `cpm 12 USD (min 500)`, `auction bid from 3 USD`. */
export function priceWords(option: Priced & { readonly pricing_option_id: string }): string {
  const { pricing_option_id: id, min_spend_per_package: least } = option
  const days = startDaysOf(option)
  const starts = days ? ` for flights that start ${startWords(days)}` : ''
  return `${id} ${amountWords(option)}${typeof least === 'number' ? ` (min ${least})` : ''}${starts}`
}
