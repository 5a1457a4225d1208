import { AdcpError } from '../../protocol/errors.ts'
import { microsToAmount, priceToMicros } from '../money.ts'
import type { VendorPrice } from '../vendor-price.ts'
import type { Creative } from './creative.ts'
import type { Format } from './formats/format.ts'

/** What serving a library creative costs: its own prices, else those of its format. */
export function creativePrices({ content }: Pick<Creative, 'content'>, format: Format | undefined): readonly VendorPrice[] {
  return content.prices ?? format?.pricing_options ?? []
}

/** The price of a build (build-creative-response.json). */
export interface BuildPrice {
  readonly pricing_option_id: string
  readonly vendor_cost: number
  readonly currency: string
}

/**
 * What building costs now, by the first price of each format: units of work are paid at once, everything else as it serves. Undefined when nothing
 * has a price. Throws INVALID_REQUEST without an account to bill, and when formats of one call have different prices, since a reply can name only one.
 */
export function buildPrice(prices: readonly (readonly VendorPrice[])[], hasAccount: boolean): BuildPrice | undefined {
  const firsts = prices.flatMap((each) => firstPrice(each) ?? [])
  const [price] = firsts
  if (!price) return undefined
  requireAccount(hasAccount)
  if (firsts.length < prices.length || firsts.some(({ pricing_option_id }) => pricing_option_id !== price.pricing_option_id)) {
    throw new AdcpError('INVALID_REQUEST', 'target_format_ids have different prices; build each in a call of its own', {
      field: 'target_format_ids',
    })
  }
  const { pricing_option_id, vendor_cost, currency } = leafPrice(price)
  return { pricing_option_id, vendor_cost: microsToAmount(priceToMicros(vendor_cost, 'unit_price') * firsts.length), currency }
}

/** The price that a build of a format is charged by; undefined where it has none that is known ahead. */
export function firstPrice([first]: readonly VendorPrice[]): KnownPrice | undefined {
  return first && first.model !== 'custom' ? first : undefined
}

export type KnownPrice = Exclude<VendorPrice, { model: 'custom' }>

/** What one build costs by a price. */
export function leafPrice(price: KnownPrice): BuildPrice {
  const { pricing_option_id, currency } = price
  const isUnit = price.model === 'per_unit' && UNITS.includes(price.unit)
  return { pricing_option_id, vendor_cost: isUnit ? price.unit_price : 0, currency }
}

/** Throws INVALID_REQUEST where what is built has a price and there is no account to bill. */
export function requireAccount(hasAccount: boolean): void {
  if (hasAccount) return
  throw new AdcpError('INVALID_REQUEST', 'account is required: what is built has a price', { field: 'account' })
}

/** Units of which a build of one format makes one. */
const UNITS = ['format', 'creative', 'build', 'render', 'variant']
