import type { AdServerBackend } from '../../ad-serving/backend.ts'
import { requireKept } from '../../ad-serving/require-kept.ts'
import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { PricingOption } from '../../domain/product/pricing-option.ts'
import { isFixedPrice, priceOf } from '../../domain/product/product.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** Any budget buys a unit of any price: what is asked is whether the price can be kept. */
const BUDGET_MICROS = 1_000_000_000_000
const FLIGHT_AFTER_MS = 30 * DAY_MS

/** A line of a product at one of its prices, over one day, a month from now; for asking what an ad server can keep. */
export function lineOfProduct(
  { product_id, delivery_type }: Pick<ProductDocument, 'product_id' | 'delivery_type'>,
  option: PricingOption,
  now: Date,
): LineSettings {
  const { pricing_model: model } = option
  const rateMicros = Math.round((priceOf(option) ?? 1) * 1_000_000)
  const startsAt = now.getTime() + FLIGHT_AFTER_MS
  return {
    productId: product_id,
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(startsAt + DAY_MS).toISOString(),
    budgetMicros: BUDGET_MICROS,
    price: { model, basis: isFixedPrice(option) ? 'fixed' : 'auction', rateMicros },
    goalImpressions: null,
    priority: delivery_type === 'guaranteed' ? 'guaranteed' : 'non_guaranteed',
    pacing: 'even',
    targeting: null,
  }
}

/** The first price of a product that an ad server can keep. Throws INVALID_REQUEST with the reasons when there is none. */
export function keepablePrice(backend: AdServerBackend, product: ProductDocument, now: Date): PricingOption {
  const reasons: string[] = []
  for (const option of product.pricing_options) {
    const reason = reasonAgainst(backend, lineOfProduct(product, option, now))
    if (reason === undefined) return option
    reasons.push(`${option.pricing_option_id}: ${reason}`)
  }
  const message = `${backend.name} can keep no price of ${product.product_id}: ${reasons.join('; ')}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'products' })
}

function reasonAgainst(backend: AdServerBackend, settings: LineSettings): string | undefined {
  try {
    requireKept(backend, settings)
    return undefined
  } catch (error) {
    if (error instanceof AdcpError) return error.message
    throw error
  }
}
