import { AdcpError, Faults } from '../../protocol/errors.ts'
import { type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import type { Flight } from '../calendar/flight.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { insteadOfProduct } from '../product/instead-of-product.ts'
import type { KeepsTargeting } from '../product/overlay-support.ts'
import { isOfferedTo, type Product, whyOver } from '../product/product.ts'
import { checkTargeting } from '../product/targeting.ts'
import { type Bidding, writtenBid } from './bid.ts'
import { checkCatalogs, checkPlacements } from './check-package.ts'
import { checkCommittedMetrics, committedMetricsOf } from './committed-metrics.ts'
import { requireLeadTime } from './creative-deadline.ts'
import { dayRangeOf, dayText, packageFlight } from './flight.ts'
import { selectedFormats, selectorsOf } from './format-selection.ts'
import type { Package } from './media-buy.ts'
import { checkOptimizationGoals } from './optimization-goals.ts'
import type { PackageRequest } from './order-request.ts'
import { optionOf, priceOf } from './package-price.ts'
import { plannedImpressions } from './planned-impressions.ts'
import { requireSeason } from './price-of-season.ts'
import { agreeStandards, agreeTerms } from './terms.ts'

export interface PlanContext {
  readonly flight: Flight
  readonly products: ReadonlyMap<string, Product>
  /** Declares the formats of the products. */
  readonly declare: Declare
  /** What the ad servers of the products keep of their targeting. */
  readonly keepsOf: KeepsTargeting
  /** Looks for names that were meant, for all packages together. */
  readonly names: NameSearch
  readonly principalId: string
  /** How the media buy is bid for, for packages without a bid of their own. */
  readonly bidding?: Bidding | undefined
  readonly now: Date
  /** The publisher's (IANA). */
  readonly timeZone: string
  /** Name of the request's array in error paths. */
  readonly field: 'packages' | 'new_packages'
  /** Identifier of the package at a position of the request. */
  readonly packageId: (index: number) => string
}

/**
 * Checks package requests against the products they buy and agrees price, flight, targeting and terms. Lines are not booked yet:
 * `lineId` is empty. Throws an error that names every fault of every package.
 */
export function planPackages(requests: readonly PackageRequest[], context: PlanContext): Package[] {
  const faults = new Faults()
  const planned = requests.map((request, index) =>
    faults.attempt(() => planPackage(request, `${context.field}[${index}]`, context.packageId(index), context)),
  )
  faults.settle()
  const packages = planned.filter((pkg) => pkg !== undefined)
  const currency = packages[0]?.pricing.currency
  const other = packages.findIndex((pkg) => pkg.pricing.currency !== currency)
  if (other > 0) {
    const field = `${context.field}[${other}].pricing_option_id`
    throw new AdcpError(
      'INVALID_REQUEST',
      `${field} is priced in ${packages[other]?.pricing.currency}, the first package in ${currency}; one media buy has one currency`,
      { field },
    )
  }
  return packages
}

/** What is wrong with the product, the price and the targeting that a package request names; what it lacks is not looked at. */
export function namedFaults(
  { product_id, pricing_option_id, targeting_overlay: overlay }: Partial<PackageRequest>,
  path: string,
  context: Pick<PlanContext, 'products' | 'principalId' | 'names' | 'keepsOf'>,
): readonly AdcpError[] {
  const faults = new Faults()
  const product = product_id === undefined ? undefined : faults.attempt(() => productOf({ product_id }, path, context))
  if (product && pricing_option_id !== undefined) faults.attempt(() => optionOf(product, { pricing_option_id }, path, context))
  if (product) faults.attempt(() => checkTargeting(product, overlay, `${path}.targeting_overlay`, context.keepsOf(product.id)))
  return faults.found
}

/** Throws an error that names every fault of a package request which does not depend on its flight. */
export function checkPackage(request: PackageRequest, path: string, context: Omit<PlanContext, 'flight'>): void {
  const product = productOf(request, path, context)
  const faults = new Faults()
  faults.attempt(() => optionOf(product, request, path, context))
  checkParts(faults, product, request, path, context)
  faults.settle()
}

/** The parts of a request that neither price nor flight decide on. */
function checkParts(
  faults: Faults,
  product: Product,
  request: PackageRequest,
  path: string,
  context: Pick<PlanContext, 'declare' | 'keepsOf' | 'names'>,
): void {
  const { keepsOf, names } = context
  faults.attempt(() => selectedFormats(product, request, path, context))
  faults.attempt(() => checkTargeting(product, request.targeting_overlay, `${path}.targeting_overlay`, keepsOf(product.id)))
  faults.attempt(() => checkCatalogs(product, request, path))
  faults.attempt(() => checkPlacements(product, request, path, names))
  faults.attempt(() => checkCommittedMetrics(product.offer, request, path))
  faults.attempt(() => checkOptimizationGoals(product.offer, request.optimization_goals, path))
}

function planPackage(request: PackageRequest, path: string, packageId: string, context: PlanContext): Package {
  const product = productOf(request, path, context)
  const { offer } = product
  const faults = new Faults()
  const flight = faults.attempt(() => packageFlight(context.flight, request.start_time, request.end_time, path))
  if (flight) faults.attempt(() => requireOnSale(product, flight, path, context.now))
  if (flight) faults.attempt(() => requireLeadTime(product, flight, path, context.now))
  const option = faults.attempt(() => optionOf(product, request, path, context))
  if (option && flight) faults.attempt(() => requireSeason(product, option, flight, path))
  const price = option && flight && faults.attempt(() => priceOf(request, product, option, flight, path, context))
  checkParts(faults, product, request, path, context)
  faults.settle()
  if (!price) throw new Error('a package without a price was let through')
  const { pricing, terms } = price
  const measurementTerms = agreeTerms(offer, request.measurement_terms, path)
  const selectors = selectorsOf(request)
  const committed = committedMetricsOf(request, context.now)
  const performanceStandards = agreeStandards(offer, request.performance_standards, path)
  const written = writtenBid(request, pricing)
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
    ...(offer.cancellation_policy && { cancellationPolicy: offer.cancellation_policy }),
    ...(product.selling.creativeLeadHours !== undefined && { creativeLeadHours: product.selling.creativeLeadHours }),
    pastServing: [],
    recorded: [],
    reservedImpressions: offer.delivery_type === 'guaranteed' ? plannedImpressions(pricing, terms) : 0,
    formatIds: selectedFormats(product, request, path, context),
    ...(selectors && { formatSelectors: selectors }),
    ...(measurementTerms && { measurementTerms }),
    ...(performanceStandards && { performanceStandards }),
    ...(committed.length > 0 && { committedMetrics: committed }),
    ...(request.targeting_overlay && { targetingOverlay: request.targeting_overlay }),
    ...(written && { writtenBid: written }),
    ...(request.optimization_goals && { optimizationGoals: request.optimization_goals }),
    ...(request.catalogs && { catalogs: request.catalogs }),
    ...(request.agency_estimate_number !== undefined && { agencyEstimateNumber: request.agency_estimate_number }),
    ...(request.context && { context: request.context }),
    ...(request.ext && { ext: request.ext }),
  }
}

/** A product that the caller may not see is the same as none. */
function productOf(
  request: Pick<PackageRequest, 'product_id'>,
  path: string,
  { products, principalId, names }: Pick<PlanContext, 'products' | 'principalId' | 'names'>,
): Product {
  const product = products.get(request.product_id)
  const field = `${path}.product_id`
  const shown = product && isOfferedTo({ ...product, selling: { ...product.selling, status: 'active' } }, principalId)
  if (product && shown) return product
  const offered = () => [...products.values()].filter((each) => isOfferedTo(each, principalId))
  const hint = insteadOfProduct(request.product_id, offered, names)
  throw new AdcpError('PRODUCT_NOT_FOUND', `${field} ${quoted(request.product_id)} is no product that is offered to you${hint}`, {
    field,
  })
}

function requireOnSale(product: Product, flight: Flight, path: string, now: Date): void {
  const { offer, selling } = product
  const field = `${path}.product_id`
  if (whyOver(product, now) === 'expired') {
    throw new AdcpError('PRODUCT_EXPIRED', `${offer.product_id} has expired`, { field })
  }
  if (selling.unserved !== undefined)
    throw new AdcpError(
      'PRODUCT_UNAVAILABLE',
      `${offer.product_id} cannot be bought: ${selling.unserved}; choose another product`,
      { field },
    )
  const tooEarly = selling.availableFrom !== undefined && flight.startsAt.slice(0, 10) < selling.availableFrom
  const tooLate = selling.availableUntil !== undefined && dayText(dayRangeOf(flight).last) > selling.availableUntil
  if (selling.status === 'active' && !tooEarly && !tooLate) return
  throw new AdcpError('PRODUCT_UNAVAILABLE', `${offer.product_id} is not on sale for this flight`, {
    field,
    details: {
      ...(selling.availableFrom !== undefined && { available_from: selling.availableFrom }),
      ...(selling.availableUntil !== undefined && { available_until: selling.availableUntil }),
    },
  })
}
