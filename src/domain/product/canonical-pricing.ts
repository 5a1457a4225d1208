import { picked } from './picked.ts'
import type { PricingOption } from './pricing-option.ts'

/** A price as the compact lifecycle states it (AdCP 3.2 core/canonical-pricing-option.json). */
export interface CanonicalPricing {
  readonly pricing_option_id: string
  readonly pricing_model: string
  readonly currency: string
  readonly [member: string]: unknown
}

const MEMBERS = [
  'fixed_price',
  'floor_price',
  'price_guidance',
  'min_spend_per_package',
  'price_breakdown',
  'eligible_adjustments',
  'parameters',
  'event_type',
  'custom_event_name',
  'event_source_id',
  'commission_rate',
  'commission_basis_description',
]

/** A pricing option without hints on how it is executed, such as `max_bid`. */
export function canonicalPricing(option: PricingOption): CanonicalPricing {
  const { pricing_option_id, pricing_model, currency } = option
  return { pricing_option_id, pricing_model, currency, ...picked(option, MEMBERS) }
}
