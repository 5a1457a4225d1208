import { microsToAmount } from '../money.ts'
import { unitWords } from '../product/price-words.ts'
import { NO_PRODUCT } from './bare-media-buy.ts'
import { creativeDeadline } from './creative-deadline.ts'
import { withoutListTokens } from './list-tokens.ts'
import type { Assignment, Cancellation, CreativeFact, CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import type { AssignedCreative } from './order-request.ts'
import { presentOwnCap } from './present-cap.ts'
import type { ListedPackage, ShownCancellation, ShownPackage, ShownSnapshot } from './shown-buy.ts'

/**
 * A package of a create or update response (AdCP core/package.json). It names no formats: clients of later releases report an order as failed when its
 * answer has a format that they cannot look up, or one of the members `format_ids_to_provide` and `format_ids_pending`, which 3.1 took away.
 */
export function presentPackage(pkg: Package, assignments: readonly Assignment[]): ShownPackage {
  const { terms } = pkg
  return {
    package_id: pkg.packageId,
    product_id: pkg.productId,
    pricing_option_id: pkg.pricing.pricingOptionId,
    budget: microsToAmount(terms.budgetMicros),
    pacing: terms.pacing,
    ...presentOwnCap(terms),
    ...presentBid(pkg),
    ...presentRate(pkg),
    ...(terms.impressions !== undefined && { impressions: terms.impressions }),
    ...(pkg.pricing.priceBreakdown && { price_breakdown: pkg.pricing.priceBreakdown }),
    start_time: terms.startsAt,
    end_time: terms.endsAt,
    ...deadlineOf(pkg),
    paused: pkg.paused,
    ...(pkg.cancellation && { canceled: true, cancellation: presentCancellation(pkg.cancellation) }),
    ...(assignments.length > 0 && { creative_assignments: assignments.map(presentAssignment) }),
    ...pkg.formatSelectors,
    ...(pkg.committedMetrics && { committed_metrics: pkg.committedMetrics }),
    ...(pkg.targetingOverlay && { targeting_overlay: withoutListTokens(pkg.targetingOverlay) }),
    ...(pkg.measurementTerms && { measurement_terms: pkg.measurementTerms }),
    ...(pkg.performanceStandards && { performance_standards: [...pkg.performanceStandards] }),
    ...(pkg.optimizationGoals && { optimization_goals: pkg.optimizationGoals }),
    ...(pkg.catalogs && { catalogs: pkg.catalogs }),
    ...(pkg.agencyEstimateNumber !== undefined && { agency_estimate_number: pkg.agencyEstimateNumber }),
    ...(pkg.context && { context: pkg.context }),
    ...(pkg.ext && { ext: pkg.ext }),
  }
}

/** The price that delivery is charged at, and what it is for; no release lists it here, and all take it. Reports name it `rate` too (media-buy/get-media-buy-delivery-response.json). */
function presentRate({
  pricing: { model, currency, time, slotHours },
  terms,
}: Package): Pick<ShownPackage, 'rate' | 'rate_unit'> {
  const unit = unitWords(model, { ...(time && { time: time.unit }), ...(slotHours !== undefined && { slotHours }) })
  return { rate: microsToAmount(terms.rateMicros), rate_unit: `${currency} ${unit}` }
}

/** How rows of a list show their packages. */
export interface PackageOptions {
  readonly creatives: CreativeFacts
  /** Snapshots by package id, when the caller asked for them. */
  readonly snapshots?: ReadonlyMap<string, ShownSnapshot>
  /** Show all members, as of media buys that the request names; else a row leaves out what follows from the rest, and targeting. */
  readonly whole: boolean
}

/** A package of get_media_buys (get-media-buys-response, `media_buys[].packages[]`). */
export function presentPackageStatus(
  pkg: Package,
  buy: MediaBuy,
  { creatives, snapshots, whole }: PackageOptions,
): ListedPackage {
  const { terms, pricing, targetingOverlay } = pkg
  const facts = creatives.get(pkg.packageId) ?? []
  const approvals = facts.flatMap(presentApproval)
  const snapshot = snapshots?.get(pkg.packageId)
  return {
    package_id: pkg.packageId,
    ...(pkg.productId !== NO_PRODUCT && { product_id: pkg.productId }),
    // No release lists it here, and all take it: without it nobody could tell at which of the product's prices a package was bought.
    ...(whole && pkg.productId !== NO_PRODUCT && { pricing_option_id: pricing.pricingOptionId }),
    budget: microsToAmount(terms.budgetMicros),
    ...((whole || pricing.currency !== buy.currency) && { currency: pricing.currency }),
    ...presentOwnCap(terms),
    ...presentBid(pkg),
    ...(whole && pkg.productId !== NO_PRODUCT && presentRate(pkg)),
    ...(terms.impressions !== undefined && { impressions: terms.impressions }),
    ...(whole && targetingOverlay && { targeting_overlay: withoutListTokens(targetingOverlay) }),
    ...((whole || terms.startsAt !== buy.startsAt) && { start_time: terms.startsAt }),
    ...((whole || terms.endsAt !== buy.endsAt) && { end_time: terms.endsAt }),
    ...deadlineOf(pkg),
    paused: pkg.paused,
    ...(pkg.cancellation && { canceled: true, cancellation: presentCancellation(pkg.cancellation) }),
    ...(approvals.length > 0 && { creative_approvals: approvals }),
    ...(snapshot && { snapshot }),
    ...(whole && pkg.formatSelectors),
    ...(whole && pkg.context && { context: pkg.context }),
    ...(pkg.ext && { ext: pkg.ext }),
  }
}

/** What is bid, and the policy that its buyer wrote: of the two, answers of 3.2 show the policy, those before the amount. */
function presentBid({ terms: { bidMicros }, writtenBid }: Package) {
  return {
    ...(bidMicros !== undefined && { bid_price: microsToAmount(bidMicros) }),
    ...(writtenBid && 'bidding' in writtenBid && { bidding: writtenBid.bidding }),
  }
}

function deadlineOf(pkg: Package) {
  const creative_deadline = creativeDeadline(pkg)
  return creative_deadline !== undefined && { creative_deadline }
}

function presentApproval({ creativeId, approval, rejectionReason }: CreativeFact) {
  if (approval === undefined) return []
  const rejection = approval === 'rejected' && rejectionReason !== undefined && { rejection_reason: rejectionReason }
  return [{ creative_id: creativeId, approval_status: approval, ...rejection }]
}

/** AdCP core/media-buy.json, `cancellation`. */
export function presentCancellation({ canceledAt, canceledBy, reason }: Cancellation): ShownCancellation {
  return { canceled_at: canceledAt, canceled_by: canceledBy, ...(reason !== undefined && { reason }) }
}

function presentAssignment({ creativeId, weight, placementIds }: Assignment): AssignedCreative {
  return {
    creative_id: creativeId,
    ...(weight !== undefined && { weight }),
    ...(placementIds && { placement_ids: [...placementIds] }),
  }
}
