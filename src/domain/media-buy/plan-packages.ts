import type { CreateMediaBuyRequest, PricingOption } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import { budgetToMicros } from '../money.ts'
import { isOfferedTo, type Product } from '../product/product.ts'
import { checkCatalogs, checkPlacements, formatsOf } from './check-package.ts'
import { daysOf, type Flight, packageFlight } from './flight.ts'
import type { OrderTerms, Package, Pricing } from './media-buy.ts'
import { plannedImpressions } from './planned-impressions.ts'
import { isBilledByUnit, pricingOf, rateOf, requireBudget } from './pricing.ts'
import { checkTargeting } from './targeting.ts'
import { agreeStandards, agreeTerms } from './terms.ts'

export type PackageRequest = NonNullable<CreateMediaBuyRequest['packages']>[number]

/** A flat or timed placement without an estimate rotates with others: it is planned with a quarter of the product's days. */
const FLAT_SHARE = 0.25

export interface PlanContext {
  readonly flight: Flight
  readonly products: ReadonlyMap<string, Product>
  readonly principalId: string
  readonly now: Date
  /** Name of the request's array in error paths. */
  readonly field: 'packages' | 'new_packages'
  /** Identifier of the package at a position of the request. */
  readonly packageId: (index: number) => string
}

/**
 * Checks package requests against the products they buy and agrees price, flight, targeting and terms. Lines are not booked yet:
 * `lineId` is empty. Throws the error that says which field cannot be had, first package first.
 */
export function planPackages(requests: readonly PackageRequest[], context: PlanContext): Package[] {
  const packages = requests.map((request, index) =>
    planPackage(request, `${context.field}[${index}]`, context.packageId(index), context),
  )
  const currency = packages[0]?.pricing.currency
  const other = packages.findIndex((pkg) => pkg.pricing.currency !== currency)
  if (other > 0) {
    const field = `${context.field}[${other}].pricing_option_id`
    throw new AdcpError(
      'INVALID_REQUEST',
      `${field} is priced in another currency than the first package; one media buy has one currency`,
      { field },
    )
  }
  return packages
}

function planPackage(request: PackageRequest, path: string, packageId: string, context: PlanContext): Package {
  const product = productOf(request, path, context)
  const { offer } = product
  const flight = packageFlight(context.flight, request.start_time, request.end_time, path)
  requireOnSale(product, flight, path, context.now)
  const pricing = priced(optionOf(product, request, path), product, flight, path)
  const terms: OrderTerms = {
    from: context.now.toISOString(),
    ...flight,
    budgetMicros: budgetToMicros(request.budget, pricing.currency, `${path}.budget`),
    ...rateOf(pricing, request.bid_price, path),
    ...(request.impressions !== undefined && { impressions: goalOf(request.impressions, `${path}.impressions`) }),
    pacing: request.pacing ?? 'even',
    running: request.paused !== true,
  }
  requireBudget(pricing, terms, path)
  checkTargeting(product, request.targeting_overlay, path)
  checkCatalogs(product, request, path)
  checkPlacements(product, request, path)
  const measurementTerms = agreeTerms(offer, request.measurement_terms, path)
  const performanceStandards = agreeStandards(offer, request.performance_standards, path)
  return {
    packageId,
    productId: product.id,
    pricing,
    guaranteed: offer.delivery_type === 'guaranteed',
    channels: offer.channels ?? [],
    lineId: '',
    terms,
    pastTerms: [],
    paused: request.paused === true,
    needsCreatives: offer.format_ids.length > 0 && !request.catalogs?.length,
    pastServing: [],
    recorded: [],
    reservedImpressions: offer.delivery_type === 'guaranteed' ? plannedImpressions(pricing, terms) : 0,
    formatIds: formatsOf(product, request.format_ids, path),
    ...(measurementTerms && { measurementTerms }),
    ...(performanceStandards && { performanceStandards }),
    ...(request.targeting_overlay && { targetingOverlay: request.targeting_overlay }),
    ...(request.optimization_goals && { optimizationGoals: request.optimization_goals }),
    ...(request.catalogs && { catalogs: request.catalogs }),
    ...(request.agency_estimate_number !== undefined && { agencyEstimateNumber: request.agency_estimate_number }),
    ...(request.context && { context: request.context }),
    ...(request.ext && { ext: request.ext }),
  }
}

/** A goal counts whole impressions. */
export function goalOf(impressions: number, field: string): number {
  if (Number.isSafeInteger(impressions)) return impressions
  throw new AdcpError('INVALID_REQUEST', `${field} must be a whole number`, { field })
}

/** A product that the caller may not see is the same as none. */
function productOf(request: PackageRequest, path: string, { products, principalId }: PlanContext): Product {
  const product = products.get(request.product_id)
  const field = `${path}.product_id`
  const shown = product && isOfferedTo({ ...product, selling: { ...product.selling, status: 'active' } }, principalId)
  if (!product || !shown) throw new AdcpError('PRODUCT_NOT_FOUND', `${field} names no product that is offered to you`, { field })
  return product
}

function requireOnSale({ offer, selling }: Product, flight: Flight, path: string, now: Date): void {
  const field = `${path}.product_id`
  if (offer.expires_at !== undefined && Date.parse(offer.expires_at) <= now.getTime()) {
    throw new AdcpError('PRODUCT_EXPIRED', `${offer.product_id} has expired`, { field })
  }
  const tooEarly = selling.availableFrom !== undefined && flight.startsAt.slice(0, 10) < selling.availableFrom
  const lastDay = daysOf(flight).at(-1) ?? flight.endsAt.slice(0, 10)
  const tooLate = selling.availableUntil !== undefined && lastDay > selling.availableUntil
  if (selling.status === 'active' && !tooEarly && !tooLate) return
  throw new AdcpError('PRODUCT_UNAVAILABLE', `${offer.product_id} is not on sale for this flight`, {
    field,
    details: {
      ...(selling.availableFrom !== undefined && { available_from: selling.availableFrom }),
      ...(selling.availableUntil !== undefined && { available_until: selling.availableUntil }),
    },
  })
}

function optionOf({ offer }: Product, request: PackageRequest, path: string): PricingOption {
  const option = offer.pricing_options.find((candidate) => candidate.pricing_option_id === request.pricing_option_id)
  if (option) return option
  const field = `${path}.pricing_option_id`
  throw new AdcpError('INVALID_REQUEST', `${field} is not a pricing option of ${offer.product_id}`, {
    field,
    details: { pricing_option_ids: offer.pricing_options.map((candidate) => candidate.pricing_option_id) },
  })
}

/** Prices that do not buy units come with an estimate of what the placement brings. */
function priced(option: PricingOption, { selling }: Product, flight: Flight, path: string): Pricing {
  const pricing = pricingOf(option, `${path}.pricing_option_id`)
  if (pricing.estimatedImpressions !== undefined || (isBilledByUnit(pricing.model) && pricing.fixedMicros !== 0)) return pricing
  return { ...pricing, estimatedImpressions: Math.floor(selling.dailyCapacity * daysOf(flight).length * FLAT_SHARE) }
}
