import type { Offer } from './offer.ts'
import type { PricingOption } from './pricing-option.ts'
import { priceOf } from './product.ts'

type Metric = 'impressions' | 'clicks' | 'views' | 'completed_views' | 'grps'

/** A forecast point of AdCP core/forecast-point.json for one budget. */
export interface BudgetForecast {
  readonly label?: string
  readonly budget: number
  readonly metrics: { [M in Metric]?: { low: number; mid: number; high: number } }
}

/** Metric that a pricing model pays for, and how many of it one price buys. Flat and time prices buy no count. */
const BOUGHT: Readonly<Record<PricingOption['pricing_model'], readonly [metric: Metric, perPrice: number] | undefined>> = {
  cpm: ['impressions', 1000],
  vcpm: ['impressions', 1000],
  cpc: ['clicks', 1],
  cpv: ['views', 1],
  cpcv: ['completed_views', 1],
  cpp: ['grps', 1],
  cpa: undefined,
  flat_rate: undefined,
  time: undefined,
}

/** Days that the forecast of a listed product covers. */
export const FORECAST_DAYS = 30

/** Delivery that varies around the plan: what a forecast says of a fixed price, and of an auction. */
const SPREAD = { fixed: 0.05, auction: 0.2 }

/** Price to plan with, in major units: fixed, else the median of recent bids, else the floor. */
export function planningPrice(option: PricingOption): number | undefined {
  if (option.fixed_price !== undefined) return option.fixed_price
  const median = 'price_guidance' in option ? option.price_guidance?.p50 : undefined
  return median ?? priceOf(option)
}

/** What bounds a forecast beside the price. */
export interface ForecastBounds {
  /** Share of what the product's own forecast sees that is there in the flight; absent: all. */
  readonly share?: number
  /** The most impressions. */
  readonly impressions?: number
  /** What the point is about, in words; absent: the product as a whole. */
  readonly label?: string
}

/** What a budget (major units of the option's currency) is expected to buy; undefined when the option sells no count. */
export function forecastAt(
  offer: Offer,
  option: PricingOption,
  budget: number,
  { share = 1, impressions = Number.POSITIVE_INFINITY, label = 'untargeted' }: ForecastBounds = {},
): BudgetForecast | undefined {
  const bought = BOUGHT[option.pricing_model]
  const price = planningPrice(option)
  if (!bought || price === undefined || price <= 0) return undefined
  const [metric, perPrice] = bought
  const limit = Math.min(
    round(availableOf(offer, metric) * share),
    metric === 'impressions' ? impressions : Number.POSITIVE_INFINITY,
  )
  const mid = Math.min(round((budget / price) * perPrice), limit)
  const spread = option.fixed_price === undefined ? SPREAD.auction : SPREAD.fixed
  return {
    budget,
    label,
    metrics: {
      [metric]: { low: round(mid * (1 - spread)), mid, high: Math.max(mid, Math.min(round(mid * (1 + spread)), limit)) },
    },
  }
}

/** Most of a metric that the product's own forecast sees. */
function availableOf({ forecast }: Offer, metric: Metric): number {
  const tops = (forecast?.points ?? []).flatMap(({ metrics }) => metrics[metric]?.high ?? metrics[metric]?.mid ?? [])
  return tops.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...tops)
}

/** Counts are whole; rating points keep one decimal. */
function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 10) / 10
}

/** The offer with a point for this budget put first into its forecast. */
export function withBudgetForecast(offer: Offer, budget: { readonly amount: number; readonly currency: string }): Offer {
  const option = offer.pricing_options.find((candidate) => candidate.currency === budget.currency)
  const point = option && forecastAt(offer, option, budget.amount)
  if (!point) return offer
  return { ...offer, forecast: { points: [point], forecast_range_unit: 'spend', method: 'modeled', currency: budget.currency } }
}
