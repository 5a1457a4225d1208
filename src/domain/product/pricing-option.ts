import type { TimeUnit } from '../calendar/time-units.ts'
import type { EventType } from '../event/event-type.ts'

/** How the price of a package is counted (AdCP enums/pricing-model.json). */
export const PRICING_MODELS = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time'] as const
export type PricingModel = (typeof PRICING_MODELS)[number]

/** Recent winning bids, by percentile, in major units. */
export interface PriceGuidance {
  p25?: number
  p50?: number
  p75?: number
  p90?: number
}

/** How a list price became the price that is shown (AdCP core/price-breakdown.json). */
export interface PriceBreakdown {
  list_price: number
  adjustments: { [member: string]: unknown }[]
}

/** What every way to pay for a package says. Prices in major units of `currency`. */
interface Price {
  pricing_option_id: string
  currency: string
  min_spend_per_package?: number
  price_breakdown?: PriceBreakdown
  eligible_adjustments?: ('fee' | 'discount' | 'commission' | 'settlement')[]
  ext?: { [member: string]: unknown }
}

/** A stated price, or an auction: `floor_price` is the least that is taken in it. */
interface OpenPrice extends Price {
  fixed_price?: number
  floor_price?: number
  price_guidance?: PriceGuidance
}

/** A price by what is counted; with `max_bid` a bid is a ceiling, else the exact price. */
interface CountedPrice<Model extends 'cpm' | 'vcpm' | 'cpc' | 'cpcv' | 'cpv'> extends OpenPrice {
  pricing_model: Model
  max_bid?: boolean
}

interface ViewPrice extends CountedPrice<'cpv'> {
  parameters: { view_threshold: number | { duration_seconds: number } }
}

interface PointPrice extends OpenPrice {
  pricing_model: 'cpp'
  parameters: {
    demographic_system?: 'nielsen' | 'barb' | 'agf' | 'oztam' | 'mediametrie' | 'custom'
    demographic: string
    min_points?: number
  }
}

interface ActionPrice extends Price {
  pricing_model: 'cpa'
  event_type: EventType
  custom_event_name?: string
  event_source_id?: string
  fixed_price: number
}

interface FlatPrice extends OpenPrice {
  pricing_model: 'flat_rate'
  parameters?: {
    type: 'dooh'
    sov_percentage?: number
    loop_duration_seconds?: number
    min_plays_per_hour?: number
    venue_package?: string
    /** Hours that one price buys. */
    duration_hours?: number
    daypart?: string
    estimated_impressions?: number
  }
}

interface TimePrice extends OpenPrice {
  pricing_model: 'time'
  parameters: { time_unit: TimeUnit; min_duration?: number; max_duration?: number }
}

/** One way to pay for a package of a product (AdCP core/pricing-option.json). */
export type PricingOption =
  | CountedPrice<'cpm'>
  | CountedPrice<'vcpm'>
  | CountedPrice<'cpc'>
  | CountedPrice<'cpcv'>
  | ViewPrice
  | PointPrice
  | ActionPrice
  | FlatPrice
  | TimePrice
