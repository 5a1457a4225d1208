import type { CreateMediaBuySuccess, GetMediaBuysResponse, UpdateMediaBuySuccess } from '@adcp/sdk/types'
import type { PolicySource } from '../approval/policy.ts'
import { microsToAmount } from '../money.ts'
import type { Product } from '../product/product.ts'
import { type AvailableAction, availableActions } from './available-actions.ts'
import { NO_PRODUCT } from './bare-media-buy.ts'
import { cancellationTerms } from './cancellation-terms.ts'
import { actionModes } from './change-approval.ts'
import { totalBudgetMicros } from './create.ts'
import { creativeDeadline, firstCreativeDeadline } from './creative-deadline.ts'
import { impairmentsOf } from './impairments.ts'
import { shownStatus, validActions } from './lifecycle.ts'
import { withoutListTokens } from './list-tokens.ts'
import type { Assignment, Cancellation, CreativeFact, CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import { missingCreatives } from './missing-creatives.ts'
import { allowedActionsOf } from './require-actions.ts'

type WirePackage = CreateMediaBuySuccess['packages'][number]
type WireMediaBuy = GetMediaBuysResponse['media_buys'][number]
type WirePackageStatus = WireMediaBuy['packages'][number]
export type WireSnapshot = NonNullable<WirePackageStatus['snapshot']>

/**
 * A package of a create or update response (AdCP core/package.json). It names no formats: clients of later releases report an order as failed when its
 * answer has a format that they cannot look up, or one of the members `format_ids_to_provide` and `format_ids_pending`, which 3.1 took away.
 */
export function presentPackage(pkg: Package, assignments: readonly Assignment[]): WirePackage {
  const { terms } = pkg
  return {
    package_id: pkg.packageId,
    product_id: pkg.productId,
    pricing_option_id: pkg.pricing.pricingOptionId,
    budget: microsToAmount(terms.budgetMicros),
    pacing: terms.pacing,
    ...(terms.bidMicros !== undefined && { bid_price: microsToAmount(terms.bidMicros) }),
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

/** What decides which changes an answer lists for callers of later releases; absent: those of 3.0 alone are listed. */
export interface ActionRules {
  readonly policy: PolicySource
  readonly products: ReadonlyMap<string, Product>
}

type State = Pick<WireMediaBuy, 'media_buy_id' | 'status' | 'revision' | 'valid_actions'> & {
  available_actions?: readonly AvailableAction[]
}

/** What every answer about one media buy says of its state. `isBase`: the answer is one of 3.0. */
export function presentState(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  rules: ActionRules | undefined,
  isBase: boolean = rules === undefined,
): State {
  const status = shownStatus(buy, creatives, now, { isBase })
  const { paused } = buy
  const available = rules && {
    available_actions: availableActions({
      status,
      paused,
      modeOf: actionModes(buy, rules.policy, rules.products),
      allowed: allowedActionsOf(buy, rules.products),
    }),
  }
  return {
    media_buy_id: buy.mediaBuyId,
    status,
    revision: buy.revision,
    valid_actions: validActions(status, paused),
    ...available,
  }
}

/** The changes of a buy that are possible now; none where the answer's release does not name them. */
export function availableNow(
  buy: MediaBuy,
  creatives: CreativeFacts,
  now: Date,
  rules: ActionRules | undefined,
): readonly AvailableAction[] {
  return presentState(buy, creatives, now, rules).available_actions ?? []
}

/** The sum of an order; answers of create and update have it since 3.1. */
function presentSum(buy: MediaBuy, rules: ActionRules | undefined) {
  return rules && { currency: buy.currency, total_budget: microsToAmount(totalBudgetMicros(buy)) }
}

export interface CreatedOptions {
  readonly creatives: CreativeFacts
  readonly now: Date
  readonly account: CreateMediaBuySuccess['account']
  /** Whether the buyer is a sandbox agent, or the account a sandbox account. */
  readonly sandbox: boolean
  readonly idempotencyKey: string
  readonly rules?: ActionRules | undefined
}

/** Answer of create_media_buy; the key is echoed so that the buyer can tie a replay to its request. */
export function presentCreated(
  buy: MediaBuy,
  { creatives, now, account, sandbox, idempotencyKey, rules }: CreatedOptions,
): CreateMediaBuySuccess {
  return {
    ...presentState(buy, creatives, now, rules),
    ...presentSum(buy, rules),
    ...{ idempotency_key: idempotencyKey },
    ...(buy.confirmedAt !== undefined && { confirmed_at: buy.confirmedAt }),
    ...firstDeadlineOf(buy),
    ...(account && { account }),
    ...(sandbox && { sandbox }),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    packages: buy.packages.map((pkg) => presentPackage(pkg, creatives.get(pkg.packageId) ?? [])),
    ...extOf(buy, { now, creatives }, undefined),
  }
}

export interface UpdatedOptions {
  readonly creatives: CreativeFacts
  readonly now: Date
  /** Ids of the packages to show. */
  readonly affected: readonly string[]
  readonly sandbox: boolean
  readonly rules?: ActionRules | undefined
}

/** Answer of update_media_buy. Changes are effective at once. */
export function presentUpdated(
  buy: MediaBuy,
  { creatives, now, affected, sandbox, rules }: UpdatedOptions,
): UpdateMediaBuySuccess {
  return {
    ...presentState(buy, creatives, now, rules),
    ...presentSum(buy, rules),
    implementation_date: now.toISOString(),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    ...(sandbox && { sandbox }),
    affected_packages: buy.packages
      .filter((pkg) => affected.includes(pkg.packageId))
      .map((pkg) => presentPackage(pkg, creatives.get(pkg.packageId) ?? [])),
    ...extOf(buy, { now, creatives }, undefined),
  }
}

/** The buyer's own `ext`, with the cancellation terms and the creatives that are missing. */
function extOf(buy: MediaBuy, { now, creatives }: Pick<CreatedOptions, 'now' | 'creatives'>, own: MediaBuy['ext']) {
  const [terms, missing] = [cancellationTerms(buy, now), missingCreatives(buy, creatives, now)]
  const ext = { ...own, ...(terms.length > 0 && { terms }), ...(missing.length > 0 && { missing_creatives: missing }) }
  return (own || Object.keys(ext).length > 0) && { ext }
}

export interface ListedOptions {
  readonly creatives: CreativeFacts
  readonly now: Date
  /** Number of history entries to show, newest first. */
  readonly history: number
  /** Snapshots by package id, when the caller asked for them. */
  readonly snapshots?: ReadonlyMap<string, WireSnapshot>
  /** Show all members, as of media buys that the request names; else a row leaves out what follows from the rest, and targeting. */
  readonly whole: boolean
  readonly rules?: ActionRules | undefined
}

/** A media buy of get_media_buys (get-media-buys-response, `media_buys[]`). */
export function presentMediaBuy(buy: MediaBuy, options: ListedOptions): WireMediaBuy {
  const history = [...buy.history].reverse().slice(0, options.history)
  const state = presentState(buy, options.creatives, options.now, options.rules)
  const impairments = impairmentsOf(buy, state.status, options.creatives)
  return {
    ...state,
    ...(impairments.length > 0 && { health: 'impaired', impairments }),
    currency: buy.currency,
    total_budget: microsToAmount(totalBudgetMicros(buy)),
    start_time: buy.startsAt,
    end_time: buy.endsAt,
    ...(buy.confirmedAt !== undefined && { confirmed_at: buy.confirmedAt }),
    ...((options.whole || firstCreativeDeadline(buy) !== buy.endsAt) && firstDeadlineOf(buy)),
    ...(options.whole && { created_at: buy.createdAt, updated_at: buy.updatedAt }),
    ...(buy.cancellation && { cancellation: presentCancellation(buy.cancellation) }),
    ...(buy.rejection?.reason !== undefined && { rejection_reason: buy.rejection.reason }),
    ...(buy.name !== undefined && { name: buy.name }),
    ...(buy.invoiceRecipient && { invoice_recipient: buy.invoiceRecipient }),
    ...(options.history > 0 && {
      history: history.map(({ at, packageId, person: _person, ...entry }) => ({
        ...entry,
        timestamp: at,
        ...(packageId !== undefined && { package_id: packageId }),
      })),
    }),
    packages: buy.packages.map((pkg) => presentPackageStatus(pkg, buy, options)),
    ...(options.whole && buy.context && { context: buy.context }),
    ...(options.whole || buy.cancellation ? extOf(buy, options, buy.ext) : buy.ext && { ext: buy.ext }),
  }
}

function presentPackageStatus(pkg: Package, buy: MediaBuy, { creatives, snapshots, whole }: ListedOptions): WirePackageStatus {
  const { terms, pricing, targetingOverlay } = pkg
  const facts = creatives.get(pkg.packageId) ?? []
  const approvals = facts.flatMap(presentApproval)
  const snapshot = snapshots?.get(pkg.packageId)
  return {
    package_id: pkg.packageId,
    ...(pkg.productId !== NO_PRODUCT && { product_id: pkg.productId }),
    budget: microsToAmount(terms.budgetMicros),
    ...((whole || pricing.currency !== buy.currency) && { currency: pricing.currency }),
    ...(terms.bidMicros !== undefined && { bid_price: microsToAmount(terms.bidMicros) }),
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

/** A package has a deadline of its own where its product sets one; that of the media buy holds for the others. */
function deadlineOf(pkg: Package) {
  const creative_deadline = creativeDeadline(pkg)
  return creative_deadline !== undefined && { creative_deadline }
}

function firstDeadlineOf(buy: MediaBuy) {
  const creative_deadline = firstCreativeDeadline(buy)
  return creative_deadline !== undefined && { creative_deadline }
}

function presentApproval({ creativeId, approval, rejectionReason }: CreativeFact) {
  if (approval === undefined) return []
  const rejection = approval === 'rejected' && rejectionReason !== undefined && { rejection_reason: rejectionReason }
  return [{ creative_id: creativeId, approval_status: approval, ...rejection }]
}

function presentCancellation({ canceledAt, canceledBy, reason }: Cancellation) {
  return { canceled_at: canceledAt, canceled_by: canceledBy, ...(reason !== undefined && { reason }) }
}

function presentAssignment({ creativeId, weight, placementIds }: Assignment) {
  return {
    creative_id: creativeId,
    ...(weight !== undefined && { weight }),
    ...(placementIds && { placement_ids: [...placementIds] }),
  }
}
