import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { packageStatus, validActions } from '../../domain/media-buy/lifecycle.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { chargeRuleOf } from '../../domain/media-buy/pricing.ts'
import { type ProgressPart, partOf, progressOf } from '../../domain/media-buy/progress.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { ObservedOrder } from '../../tasks/media-buy/observe-orders.ts'
import { type PublisherCalendar, presentFlight } from '../flight.ts'
import type { BuyerOrder, OrderAction, ShownOrder } from './order-shapes.ts'

/** When an order is looked at, and where: days of its flight are the publisher's. */
export interface Shown {
  readonly now: Date
  readonly zone: PublisherCalendar
}

/** One order in the publisher's list. */
export function presentBuyerOrder(order: ObservedOrder, shown: Shown): BuyerOrder {
  const { now } = shown
  const { buy, principalId: buyer, buyerName, sandbox, status, delivery } = order
  return {
    ...{ order_id: buy.mediaBuyId, media_buy_id: buy.mediaBuyId },
    status,
    paused: buy.paused,
    buyer,
    buyer_name: buyerName,
    sandbox,
    account: buy.accountId,
    advertiser: buy.brand?.domain ?? null,
    name: buy.name ?? null,
    po_number: buy.poNumber ?? null,
    products: [...new Set(buy.packages.map(({ productId }) => productId))],
    currency: buy.currency,
    budget: microsToAmount(totalBudgetMicros(buy)),
    spent: microsToAmount(delivery.total.spendMicros),
    impressions: delivery.total.impressions,
    pacing: progressOf(buy, partsOf(order), status, now),
    starts_at: buy.startsAt,
    ends_at: buy.endsAt,
    flight: presentFlight(buy, shown.zone),
    created_at: buy.createdAt,
    updated_at: buy.updatedAt,
    revision: buy.revision,
  }
}

/** The whole order as the publisher's people see it, and what they can do to it now. */
export function presentOrder(order: ObservedOrder, shown: Shown, possible: readonly OrderAction[]): ShownOrder {
  const { buy, status, delivery } = order
  return {
    ...presentBuyerOrder(order, shown),
    valid_actions: validActions(status, buy.paused).map(String),
    possible_actions: possible,
    ad_server_order_id: buy.orderId,
    proposal_id: buy.proposalId ?? null,
    plan_id: buy.planId ?? null,
    confirmed_at: buy.confirmedAt ?? null,
    cancellation: buy.cancellation
      ? { at: buy.cancellation.canceledAt, by: buy.cancellation.canceledBy, reason: buy.cancellation.reason ?? null }
      : null,
    rejection: buy.rejection ? { at: buy.rejection.rejectedAt, reason: buy.rejection.reason ?? null } : null,
    packages: buy.packages.map((pkg) => presentPackage(order, pkg, shown)),
    days: delivery.days.map(({ day, impressions, clicks, spendMicros }) => ({
      day,
      impressions,
      clicks,
      spent: microsToAmount(spendMicros),
    })),
  }
}

function presentPackage({ buy, status, creatives, delivery }: ObservedOrder, pkg: Package, { now, zone }: Shown) {
  const { terms } = pkg
  const { total } = delivery.packages.get(pkg.packageId) ?? { total: NOTHING }
  return {
    package_id: pkg.packageId,
    product_id: pkg.productId,
    line_id: pkg.lineId,
    status: packageStatus(buy, pkg, creatives, now),
    guaranteed: pkg.guaranteed,
    pricing_model: pkg.pricing.model,
    rate: microsToAmount(terms.rateMicros),
    bid: terms.bidMicros === undefined ? null : microsToAmount(terms.bidMicros),
    charge_rule: chargeRuleOf(pkg.pricing),
    budget: microsToAmount(terms.budgetMicros),
    spent: microsToAmount(total.spendMicros),
    impressions_ordered: terms.impressions ?? null,
    impressions: total.impressions,
    clicks: total.clicks,
    viewable_impressions: total.viewableImpressions,
    completed_views: total.completedViews,
    reserved_impressions: pkg.reservedImpressions,
    pacing: progressOf(terms, pkg.cancellation ? [] : [partOf(pkg, total)], pkg.cancellation ? 'canceled' : status, now),
    paused: pkg.paused || buy.paused,
    canceled: pkg.cancellation !== undefined,
    starts_at: terms.startsAt,
    ends_at: terms.endsAt,
    flight: presentFlight(terms, zone),
    creatives: (creatives.get(pkg.packageId) ?? []).map((fact) => ({
      creative_id: fact.creativeId,
      approval: fact.approval ?? 'missing',
      format: fact.formatId?.id ?? null,
      weight: fact.weight ?? null,
    })),
  }
}

/** What is still ordered, part by part: canceled packages are not. */
function partsOf({ buy, delivery }: ObservedOrder): readonly ProgressPart[] {
  const live = buy.packages.filter(({ cancellation }) => !cancellation)
  return live.map((pkg) => partOf(pkg, delivery.packages.get(pkg.packageId)?.total ?? NOTHING))
}
