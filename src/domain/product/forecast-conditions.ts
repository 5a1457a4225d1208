import type { Flight } from '../calendar/flight.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { flightOfDays } from './asked-days.ts'
import type { BriefHints } from './brief-hints.ts'
import { FORECAST_DAYS, type ForecastBounds, forecastAt } from './forecast-budget.ts'
import { pricingOption } from './negotiated-price.ts'
import type { Offer } from './offer.ts'
import type { Product } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import type { ProductsById } from './product-list.ts'
import type { Proposal } from './proposal.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'

/** What a question says of a flight that its forecasts have to be about. */
export interface ForecastConditions {
  /** Days of the flight, and the flight where it is one that can be ordered. */
  readonly days?: number
  readonly flight?: Flight
  /** Impressions that are left of products in the flight, by product id; absent: what a product has. */
  readonly left?: ReadonlyMap<string, number>
  /** The whole targeting of the question; absent: it names none, or more than a line can be targeted by. */
  readonly targeting?: TargetingOverlay
  /** Ids of the products of which `left` is for that targeting. */
  readonly targeted?: ReadonlySet<string>
  /** ISO 3166-1 alpha-2. */
  readonly countries?: readonly string[]
  /** In words, what narrows further than any forecast of a product tells: places below countries, a frequency cap, other targeting. */
  readonly narrower: readonly string[]
}

interface Asked {
  readonly filters?: ProductFilters | undefined
  readonly hints?: BriefHints | undefined
  readonly overlay?: TargetingOverlay | undefined
}

/** The conditions of a question: its filters and targeting before the words of its brief. Undefined when it names none. */
export function conditionsOf({ filters = {}, hints, overlay = {} }: Asked): ForecastConditions | undefined {
  const { start_date: start, end_date: end, countries: filtered, regions, metros, postal_areas, geo_proximity } = filters
  const days =
    start === undefined || end === undefined ? undefined : Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1
  const countries = overlay.geo_countries ?? filtered ?? hints?.countries ?? []
  const { frequency_cap: cap, geo_countries: _countries, ...others } = overlay
  const narrower = [
    ...(regions || metros || postal_areas || geo_proximity || hints?.regions ? ['places within a country'] : []),
    ...(cap || hints?.orderTerms?.includes('frequency cap') ? ['a frequency cap'] : []),
    ...(Object.keys(others).some((name) => name !== 'ext' && name !== 'context') ? ['the targeting'] : []),
  ]
  if (days === undefined && countries.length === 0 && narrower.length === 0) return undefined
  const flight = days === undefined ? undefined : flightOfDays({ first: start, last: end })
  const isVague =
    regions || metros || postal_areas || geo_proximity || hints?.regions || hints?.orderTerms?.includes('frequency cap')
  const targeting = isVague ? undefined : targetingOf(overlay, countries)
  return {
    ...(days !== undefined && { days }),
    ...(flight && { flight }),
    ...(countries.length > 0 && { countries }),
    ...(targeting && { targeting }),
    narrower,
  }
}

function targetingOf(overlay: TargetingOverlay, [first, ...others]: readonly string[]): TargetingOverlay | undefined {
  if (first === undefined && Object.keys(overlay).length === 0) return undefined
  return { ...overlay, ...(first !== undefined && { geo_countries: [first, ...others] }) }
}

/** The most impressions of a product in so many days. */
function mostOf({ id, selling }: Product, days: number, { left }: ForecastConditions): number {
  return Math.min(selling.dailyCapacity * days, left?.get(id) ?? Number.POSITIVE_INFINITY)
}

/** Why nothing is known of a product under these conditions, in words; undefined when its forecast can be read for them. */
export function unknownOf({ id, selling }: Product, { countries, narrower, targeted }: ForecastConditions): string | undefined {
  if (targeted?.has(id)) return undefined
  const own = selling.coverage.countries
  const isPart = countries !== undefined && (own === undefined || own.some((country) => !countries.includes(country)))
  const place = isPart ? countries.join(', ') : undefined
  if (narrower.length === 0) return place
  return [narrower.join(' and '), ...(place === undefined ? [] : [place])].join(' in ')
}

/** The forecast of a product for the dates of a question; undefined: not estimated. Of points for a longer time only impressions can be told for a shorter one. */
export function conditionedForecast(product: Product, conditions: ForecastConditions): Offer['forecast'] {
  const { forecast } = product.offer
  if (!forecast || unknownOf(product, conditions) !== undefined) return undefined
  const { days } = conditions
  if (days === undefined) return forecast
  const label = labelOf(conditions, product)
  const points = forecast.points.flatMap(({ metrics, ...point }) => {
    const { impressions } = metrics
    // A point for a budget that was made under these conditions is bounded by them, whatever it counts.
    if (point.budget !== undefined && point.label === label) return [{ ...point, metrics }]
    if (!impressions) return []
    // What a budget buys is bound by what is there; what is there is less in a shorter time.
    const share = point.budget === undefined ? days / FORECAST_DAYS : 1
    const bounded = (count: number) => Math.min(mostOf(product, days, conditions), Math.round(count * share))
    const { low, mid, high } = impressions
    const range = {
      ...(low !== undefined && { low: bounded(low) }),
      ...(mid !== undefined && { mid: bounded(mid) }),
      ...(high !== undefined && { high: bounded(high) }),
    }
    return [{ ...point, label, metrics: { impressions: range } }]
  })
  const [first, ...more] = points
  return first && { ...forecast, points: [first, ...more] }
}

/** A proposal with the forecasts that hold under the conditions of a question for `buyer`, the principal that asks; those that are not estimated are left out. */
export function conditionedProposal(
  proposal: Proposal,
  products: ProductsById,
  conditions: ForecastConditions,
  buyer?: string,
): Proposal {
  const { forecast: total, allocations, ...rest } = proposal
  const currency = proposal.total_budget_guidance?.currency
  const budget = proposal.total_budget_guidance?.recommended
  const sums = { low: 0, mid: 0, high: 0 }
  let isKnown = total !== undefined
  const lines = allocations.map(({ forecast: _forecast, ...allocation }) => {
    const product = products.get(allocation.product_id)
    const option = product && pricingOption(product, allocation.pricing_option_id, buyer)
    if (!product || !option || budget === undefined || currency === undefined) {
      isKnown = false
      return allocation
    }
    const bounds = boundsOf(product, conditions)
    const point = bounds && forecastAt(product.offer, option, (budget * allocation.allocation_percentage) / 100, bounds)
    if (!bounds) isKnown = false
    const { impressions } = point?.metrics ?? {}
    if (impressions) for (const bound of ['low', 'mid', 'high'] as const) sums[bound] += impressions[bound]
    if (!_forecast || !point) return allocation
    return { ...allocation, forecast: { ..._forecast, points: [point] as [typeof point] } }
  })
  const [first, ...more] = lines
  if (!first) return proposal
  const point = { budget: budget ?? 0, label: labelOf(conditions), metrics: { impressions: sums } }
  return { ...rest, allocations: [first, ...more], ...(isKnown && total && { forecast: { ...total, points: [point] } }) }
}

/** What bounds the forecast of a product under these conditions; undefined: it is not estimated. */
export function boundsOf(product: Product, conditions: ForecastConditions): ForecastBounds | undefined {
  if (unknownOf(product, conditions) !== undefined) return undefined
  const { days } = conditions
  return days === undefined
    ? {}
    : { share: days / FORECAST_DAYS, impressions: mostOf(product, days, conditions), label: labelOf(conditions, product) }
}

/** What a forecast is about; of one that is the sum over products, none is given. */
function labelOf({ days, targeted }: ForecastConditions, product?: Product): string {
  const isTargeted = product ? targeted?.has(product.id) : targeted !== undefined && targeted.size > 0
  const what = isTargeted ? 'as targeted' : 'untargeted'
  return days === undefined ? what : `${days} ${days === 1 ? 'day' : 'days'}, ${what}`
}

/** The sentence for an answer in which forecasts are missing: what they are not estimated for. `checkedBy`: the task that checks what is available. */
export function notEstimated(
  products: readonly Product[],
  conditions: ForecastConditions,
  checkedBy = 'create_media_buy',
): string | undefined {
  const reasons = products.flatMap((product) => unknownOf(product, conditions) ?? [])
  // Those of a product differ by the places alone, and what names them says more.
  const [reason] = reasons.toSorted((a, b) => b.length - a.length)
  if (reason === undefined) return undefined
  return `Forecasts are not estimated for ${reason}: there is no data for it. ${checkedBy} checks what is available.`
}
