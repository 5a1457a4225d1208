import { AdcpError } from '../../protocol/errors.ts'
import type { NameSearch } from '../../protocol/nearest-name.ts'
import type { Flight } from '../calendar/flight.ts'
import { budgetToMicros, microsToAmount } from '../money.ts'
import type { Side } from '../party.ts'
import type { KeepsTargeting } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import { checkTargeting } from '../product/targeting.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'
import { type Bidding, bidOf, memberAt, requireKindOfBid, writtenBid } from './bid.ts'
import { checkPlacements } from './check-package.ts'
import { requireBeforeDeadline } from './creative-deadline.ts'
import { capMicros, requireCappable, withOwnCap } from './daily-cap.ts'
import { endedServing } from './ended-serving.ts'
import { packageFlight } from './flight.ts'
import { withKnownListTokens } from './list-tokens.ts'
import type { CreativeFact, OrderTerms, Package } from './media-buy.ts'
import { checkOptimizationGoals } from './optimization-goals.ts'
import type { PackageUpdate } from './order-request.ts'
import { goalOf } from './package-price.ts'
import { plannedImpressions } from './planned-impressions.ts'
import { rateOf, requireBidInBudget, requireBudget } from './pricing.ts'
import { cancellationOf, cancelPackage } from './revise.ts'
import { bidAfter } from './shared-bid.ts'
import { requireSameCurrency } from './stated-currency.ts'
import { requireFuture, requireStartMovable } from './update-flight.ts'

export interface PackageUpdateContext {
  /** Flight of the buy after the update. */
  readonly outer: Flight
  /** The product, when it still exists; needed to check a new targeting. */
  readonly product: Product | undefined
  /** What the ad servers of products keep of their targeting. */
  readonly keepsOf: KeepsTargeting
  /** What the library says of the creatives that are assigned now. */
  readonly creatives: readonly CreativeFact[]
  /** What the package has spent so far, micros. */
  readonly spentMicros: number
  readonly canceledBy: Side
  /** How the media buy is bid for, after the update and before it. */
  readonly bidding: { readonly after: Bidding | undefined; readonly before: Bidding | undefined }
  readonly now: Date
  /** Looks for names that were meant, for all entries together. */
  readonly names: NameSearch
  /** The place of the update in the request, e.g. `packages[0]`. */
  readonly path: string
}

/**
 * Applies one entry of update_media_buy `packages`. Throws INVALID_STATE for a canceled package (NOT_CANCELLABLE when canceling again), BUDGET_TOO_LOW
 * for a budget below what has been spent, and the create_media_buy codes for fields of the same name.
 */
export function updatePackage(pkg: Package, update: PackageUpdate, context: PackageUpdateContext): Package {
  const { path, now } = context
  if (pkg.cancellation) {
    const code = update.canceled ? 'NOT_CANCELLABLE' : 'INVALID_STATE'
    throw new AdcpError(code, `${path}: the package is canceled`, {
      field: `${path}.${update.canceled ? 'canceled' : 'package_id'}`,
    })
  }
  if (update.canceled) return cancelPackage(pkg, cancellationOf(context.canceledBy, update.cancellation_reason, now))
  requireBeforeDeadline(pkg, update, context)
  const targetingOverlay = overlayOf(pkg.targetingOverlay, update)
  if (context.product && targetingOverlay !== pkg.targetingOverlay)
    checkTargeting(context.product, targetingOverlay, `${path}.targeting_overlay`, context.keepsOf(pkg.productId))
  if (context.product) {
    checkPlacements(context.product, update, path, context.names)
    checkOptimizationGoals(context.product.offer, update.optimization_goals, path)
  }
  const terms = termsOf(pkg, update, context)
  const changed: Package = {
    ...withBid(pkg, update),
    terms,
    paused: update.paused ?? pkg.paused,
    ...(targetingOverlay && { targetingOverlay }),
    ...(update.catalogs && { catalogs: update.catalogs }),
    ...(update.optimization_goals && { optimizationGoals: update.optimization_goals }),
    ...(update.creative_assignments && { pastServing: [...pkg.pastServing, ...endedServing(context.creatives, now)] }),
  }
  return { ...changed, reservedImpressions: pkg.guaranteed ? plannedImpressions(pkg.pricing, terms) : 0 }
}

/** The package with the bid that an update writes; null takes away what was written. */
function withBid(pkg: Package, update: PackageUpdate): Package {
  if (update.bidding === undefined && update.bid_price === undefined) return pkg
  const { writtenBid: _old, ...rest } = pkg
  const written = writtenBid(update, pkg.pricing)
  return written ? { ...pkg, writtenBid: written } : rest
}

function termsOf(
  pkg: Package,
  update: PackageUpdate,
  { outer, spentMicros, path, now, bidding }: PackageUpdateContext,
): OrderTerms {
  const { terms, pricing } = pkg
  const { currency } = pricing
  requireSameCurrency(update, currency, {
    path,
    priced: 'the package is',
    instead: () => `send amounts in ${currency} without currency`,
  })
  const flight = flightOf(pkg, update, outer, path, now)
  const budgetMicros =
    update.budget === undefined ? terms.budgetMicros : budgetToMicros(update.budget, pricing.currency, `${path}.budget`)
  const effective = bidAfter(pkg, update, { shared: bidding.after, before: bidding.before, path })
  if (effective) requireKindOfBid(effective.bids, pricing, effective.path, effective.inheritedBy)
  const bid = effective && bidOf(effective.bids)
  const rate = effective ? rateOf(pricing, bid, bid ? effective.path : path) : {}
  const impressions = update.impressions === undefined ? terms.impressions : goalOf(update.impressions, `${path}.impressions`)
  const changed: OrderTerms = {
    ...terms,
    ...flight,
    budgetMicros,
    ...rate,
    ...(impressions !== undefined && { impressions }),
    pacing: update.pacing ?? terms.pacing,
  }
  const endField = update.end_time === undefined ? 'end_time' : `${path}.end_time`
  requireBudget(pricing, changed, { path, productId: pkg.productId, endField })
  if (bid) requireBidInBudget(pricing, changed, memberAt(effective.path, bid.member))
  const field = `${path}.daily_budget_cap`
  const ownCap = capMicros(update.daily_budget_cap, pricing.currency, field)
  if (ownCap !== undefined) requireCappable(pricing, field, pkg.productId)
  if (budgetMicros < Math.min(spentMicros, terms.budgetMicros)) {
    throw new AdcpError(
      'BUDGET_TOO_LOW',
      `${path}.budget is below the ${microsToAmount(spentMicros)} ${pricing.currency} that the package has already spent`,
      {
        field: `${path}.budget`,
        details: { minimum_budget: microsToAmount(spentMicros), currency: pricing.currency },
      },
    )
  }
  return update.daily_budget_cap === undefined ? changed : withOwnCap(changed, ownCap)
}

/** New bounds of a package; a bound in the past can neither be set nor be moved. */
function flightOf(pkg: Package, update: PackageUpdate, outer: Flight, path: string, now: Date): Flight {
  if (update.start_time === undefined && update.end_time === undefined)
    return packageFlight(outer, pkg.terms.startsAt, pkg.terms.endsAt, path)
  if (update.start_time !== undefined) requireStartMovable(pkg.terms.startsAt, update.start_time, now, `${path}.start_time`)
  if (update.end_time !== undefined) requireFuture(update.end_time, now, `${path}.end_time`)
  return packageFlight(outer, update.start_time ?? pkg.terms.startsAt, update.end_time ?? pkg.terms.endsAt, path)
}

type Keyword = NonNullable<TargetingOverlay['keyword_targets']>[number]

/** The overlay after a replacement and the incremental keyword operations, in that order (media-buy/package-update.json). */
function overlayOf(current: TargetingOverlay | undefined, update: PackageUpdate): TargetingOverlay | undefined {
  const base = update.targeting_overlay ? withKnownListTokens(update.targeting_overlay, current) : current
  const targets = editKeywords(base?.keyword_targets, update.keyword_targets_add, update.keyword_targets_remove, true)
  const negatives = editKeywords(base?.negative_keywords, update.negative_keywords_add, update.negative_keywords_remove, false)
  if (targets === base?.keyword_targets && negatives === base?.negative_keywords) return base
  const { keyword_targets: _targets, negative_keywords: _negatives, ...rest } = base ?? {}
  return {
    ...rest,
    ...(targets?.length && { keyword_targets: targets }),
    ...(negatives?.length && { negative_keywords: negatives }),
  }
}

function editKeywords<K extends Keyword>(
  current: K[] | undefined,
  add: readonly K[] | undefined,
  remove: readonly Pick<Keyword, 'keyword' | 'match_type'>[] | undefined,
  replaces: boolean,
): K[] | undefined {
  if (!add && !remove) return current
  const key = ({ keyword, match_type }: Pick<Keyword, 'keyword' | 'match_type'>) =>
    JSON.stringify([keyword.toLowerCase(), match_type])
  const byKey = new Map((current ?? []).map((entry) => [key(entry), entry]))
  for (const entry of add ?? []) if (replaces || !byKey.has(key(entry))) byKey.set(key(entry), entry)
  for (const entry of remove ?? []) byKey.delete(key(entry))
  return [...byKey.values()]
}
