import { AdcpError } from '../../protocol/errors.ts'
import { type Account, naturalKeyOf, naturalKeyText } from '../account/account.ts'
import { microsToAmount, minorUnitMicros, mulDiv, priceToMicros } from '../money.ts'
import type { Signal, SignalPrice } from './signal.ts'

/** What an account pays: the prices agreed with it, else the published ones (AdCP get-signals-request, `account`). */
export function pricesFor({ document }: Signal, account: Account | undefined): readonly SignalPrice[] {
  const agreed = account && document.account_pricing?.find(({ account: reference }) => isMeant(reference, account))
  return agreed?.pricing_options ?? document.pricing_options
}

/** Whether an account pays other prices than the published ones. */
export function hasAgreedPrices({ document }: Signal, account: Account | undefined): boolean {
  return account !== undefined && (document.account_pricing ?? []).some(({ account: reference }) => isMeant(reference, account))
}

function isMeant(
  reference: NonNullable<Signal['document']['account_pricing']>[number]['account'],
  { accountId, naturalKey }: Account,
): boolean {
  const key = naturalKeyOf(reference)
  if (key) return naturalKeyText(key) === naturalKey
  return 'account_id' in reference && reference.account_id === accountId
}

/** The option that an activation commits to. Throws INVALID_REQUEST for one that the signal does not have, or for none. */
export function requirePrice(prices: readonly SignalPrice[], optionId: string | undefined): SignalPrice {
  const field = 'pricing_option_id'
  const offered = prices.map(({ pricing_option_id }) => pricing_option_id).join(', ')
  if (optionId === undefined) {
    throw new AdcpError('INVALID_REQUEST', `${field} is required: the signal has prices`, {
      field,
      suggestion: `one of: ${offered}`,
    })
  }
  const price = prices.find(({ pricing_option_id }) => pricing_option_id === optionId)
  if (price) return price
  throw new AdcpError('INVALID_REQUEST', `${field} is not a price of this signal`, { field, suggestion: `one of: ${offered}` })
}

/** What was used of a vendor's service, as its price counts it. Money in micros. */
export interface UsedAmount {
  readonly impressions: number | undefined
  readonly mediaSpendMicros: number | undefined
}

/** Cost by a price, or the member that is missing to tell; undefined for a price that only people can compute. */
export function costOf(
  price: SignalPrice,
  used: UsedAmount,
): { readonly micros: number } | { readonly missing: keyof UsedAmount } | undefined {
  switch (price.model) {
    case 'cpm':
      if (used.impressions === undefined) return { missing: 'impressions' }
      return { micros: mulDiv(priceToMicros(price.cpm, 'cpm'), used.impressions, 1000) }
    case 'percent_of_media': {
      if (used.mediaSpendMicros === undefined) return { missing: 'mediaSpendMicros' }
      // Per cent with six decimals: hundred millions are the whole.
      const share = mulDiv(used.mediaSpendMicros, priceToMicros(price.percent, 'percent'), 100_000_000)
      if (price.max_cpm === undefined) return { micros: share }
      if (used.impressions === undefined) return { missing: 'impressions' }
      return { micros: Math.min(share, mulDiv(priceToMicros(price.max_cpm, 'max_cpm'), used.impressions, 1000)) }
    }
    case 'flat_fee':
      return { micros: priceToMicros(price.amount, 'amount') }
    default:
      return undefined
  }
}

/** Whether a stated cost equals the price, but for the rounding to the smallest payable amount. */
export function isCost(statedMicros: number, expectedMicros: number, currency: string): boolean {
  return Math.abs(statedMicros - expectedMicros) <= minorUnitMicros(currency)
}

/** An expected cost as the number of the wire, rounded to the smallest payable amount. */
export function payable(micros: number, currency: string): number {
  const step = minorUnitMicros(currency)
  return microsToAmount(Math.round(micros / step) * step)
}
