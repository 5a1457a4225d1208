import type { GetProductsResponse } from '@adcp/sdk/types'

export type OfferedProduct = NonNullable<GetProductsResponse['products']>[number]

/** A product at one of its prices. Amounts in units of the currency. */
export interface Offer {
  readonly product: OfferedProduct
  readonly pricingOptionId: string
  readonly currency: string
  /** Price of a thousand impressions, or the bid for them. */
  readonly cpm: number
  readonly isBid: boolean
  readonly budget: number
}

/** What is spent where the price sets no minimum: enough for delivery to show in whole impressions within seconds. */
const BUDGET = 500

/** The first product with a price per thousand impressions: fixed, or in an auction with a floor or guidance. */
export function chooseOffer(products: readonly OfferedProduct[]): Offer | undefined {
  for (const product of products) {
    for (const option of product.pricing_options) {
      if (option.pricing_model !== 'cpm') continue
      const cpm = option.fixed_price ?? option.price_guidance?.p50 ?? option.floor_price
      if (cpm === undefined) continue
      return {
        product,
        pricingOptionId: option.pricing_option_id,
        currency: option.currency,
        cpm,
        isBid: option.fixed_price === undefined,
        budget: Math.max(BUDGET, option.min_spend_per_package ?? 0),
      }
    }
  }
  return undefined
}
