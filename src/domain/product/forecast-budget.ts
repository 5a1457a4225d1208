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

/** Delivery that varies around the plan: what a forecast says of a fixed price, and of an auction. At a fixed price no more comes than the money buys. */
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
  const isAuction = option.fixed_price === undefined
  const spread = isAuction ? SPREAD.auction : SPREAD.fixed
  const high = isAuction ? Math.max(mid, Math.min(round(mid * (1 + spread)), limit)) : mid
  return {
    budget,
    label,
    metrics: {
      [metric]: { low: round(mid * (1 - spread)), mid, high },
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

/** What of a budget a product has inventory for. */
export interface FittingBudget {
  readonly metric: Metric
  readonly count: number
  /** Price of the count, in major units: less than the budget. */
  readonly amount: number
}

/** An offer whose forecast is that of one budget, and how much of the budget it is for where that is not all of it. */
export interface BudgetedOffer {
  readonly offer: Offer
  readonly fitting?: FittingBudget
}

/** The offer with the forecast of a budget (major units) at one of its prices; undefined where the price sells no count. */
export function withBudgetForecast(
  offer: Offer,
  option: PricingOption,
  budget: number,
  bounds?: ForecastBounds,
): BudgetedOffer | undefined {
  const point = forecastAt(offer, option, budget, bounds)
  const [bought, price = 0] = [BOUGHT[option.pricing_model], planningPrice(option)]
  if (!point || !bought) return undefined
  const [metric, perPrice] = bought
  const count = point.metrics[metric]?.mid ?? 0
  const budgeted: Offer = {
    ...offer,
    forecast: { points: [point], forecast_range_unit: 'spend', method: 'modeled', currency: option.currency },
  }
  if (count >= round((budget / price) * perPrice)) return { offer: budgeted }
  return { offer: budgeted, fitting: { metric, count, amount: Math.round((count / perPrice) * price * 100) / 100 } }
}
