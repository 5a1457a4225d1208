import type { FormatRef, Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import { isOfferedTo, type Product } from './product.ts'

type Placement = NonNullable<Offer['placements']>[number]

/**
 * A product as anybody may see it; undefined when nothing of it can be shown. No price of any kind: the official schema demands
 * at least one pricing option, so each shows its id, model and currency, and of its parameters only what the schema requires;
 * forecasts carry no money. Cancellation terms, cards and extensions stay behind: they may hold prices in any form. Formats
 * are the generic ones that any agent can make.
 */
export function publicView(offer: Offer, isStandardFormat: (format: FormatRef) => boolean): Offer | undefined {
  const { pricing_options, format_ids, placements, forecast, cancellation_policy: _policy, ...others } = offer
  const { product_card: _card, product_card_detailed: _detailed, ...open } = others
  const options = pricing_options.flatMap(withoutPrice)
  const formats = format_ids.filter(isStandardFormat)
  if (options.length === 0 || formats.length === 0) return undefined
  return withoutExtensions({
    ...open,
    format_ids: formats,
    pricing_options: options,
    ...(placements && { placements: placements.map((placement) => withStandardFormats(placement, isStandardFormat)) }),
    ...(forecast && { forecast: withoutMoney(forecast) }),
  })
}

/** A copy without any `ext`, at whatever depth: only its author knows what such a member says. */
function withoutExtensions<T>(value: T): T
function withoutExtensions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutExtensions(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (name === 'ext' ? [] : [[name, withoutExtensions(member)]])),
  )
}

/**
 * The products that anybody may see, each in its limited view. Everything that answers a caller without credentials works on these,
 * filters and asks included: a filter on real prices would give them away one comparison at a time.
 */
export function publicProducts(products: readonly Product[], isStandardFormat: (format: FormatRef) => boolean): Product[] {
  return products.flatMap((product) => {
    const offer = isOfferedTo(product, undefined) ? publicView(product.offer, isStandardFormat) : undefined
    return offer ? [{ ...product, offer }] : []
  })
}

function withStandardFormats(
  { format_ids, ...placement }: Placement,
  isStandardFormat: (format: FormatRef) => boolean,
): Placement {
  const formats = format_ids?.filter(isStandardFormat) ?? []
  return formats.length > 0 ? { ...placement, format_ids: formats } : placement
}

/** A cost-per-acquisition option cannot be shown: its price is a required field of the official schema. */
function withoutPrice(option: PricingOption): PricingOption[] {
  const { pricing_option_id, currency } = option
  const bare = { pricing_option_id, currency }
  switch (option.pricing_model) {
    case 'cpa':
      return []
    case 'cpp': {
      const { demographic_system, demographic } = option.parameters
      return [{ ...bare, pricing_model: 'cpp', parameters: { demographic, ...(demographic_system && { demographic_system }) } }]
    }
    case 'cpv':
      return [{ ...bare, pricing_model: 'cpv', parameters: { view_threshold: option.parameters.view_threshold } }]
    case 'time':
      return [{ ...bare, pricing_model: 'time', parameters: { time_unit: option.parameters.time_unit } }]
    default:
      return [{ ...bare, pricing_model: option.pricing_model }]
  }
}

function withoutMoney(forecast: NonNullable<Offer['forecast']>): NonNullable<Offer['forecast']> {
  return {
    ...forecast,
    points: forecast.points.map(({ budget: _budget, metrics, ...point }) => {
      const { spend: _spend, ...counts } = metrics
      return { ...point, metrics: counts }
    }),
  }
}
