import type { Account } from '../../domain/account/account.ts'
import { timeZoneOf } from '../../domain/identity/publisher-settings.ts'
import { noticeNotes } from '../../domain/media-buy/cancellation-terms.ts'
import { decideMakeGood, makeGoodDecisionIn } from '../../domain/media-buy/decide-make-good.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { droppedNotes, packageNotes } from '../../domain/media-buy/order-notes.ts'
import type { OrderChange } from '../../domain/media-buy/order-request.ts'
import { presentUpdated } from '../../domain/media-buy/present.ts'
import type { ActionRules } from '../../domain/media-buy/present-state.ts'
import { namesPackages, requireTotal, type WithTotal, withPackageBudgets } from '../../domain/media-buy/redistribute.ts'
import { requireReportFrequency, unreportedNote } from '../../domain/media-buy/reporting-webhook.ts'
import { requireBids, unusedBids } from '../../domain/media-buy/unused-bids.ts'
import { applyUpdate, requireSameRevision, type Update } from '../../domain/media-buy/update.ts'
import type { Product } from '../../domain/product/product.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import type { CarryOutContext } from '../approvals/carry-out.ts'
import { endWaitingChanges } from '../approvals/end-waiting-changes.ts'
import { keptTargeting, servedProducts } from '../served-products.ts'
import { requireCreatives } from './assignable-creatives.ts'
import { requireAvailability } from './availability.ts'
import { assign, changeAtAdServer, countedBy, spentBy } from './change-order.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { namedMediaBuy } from './find-media-buys.ts'
import { adServerOf, lineOrders, poolOf, requestReconciliation } from './orders.ts'
import { withChangedHours } from './require-hours.ts'
import { requireRoom, reserve } from './reservations.ts'
import { namingWhatWasSent } from './shortage-of-update.ts'

/** What changing a media buy needs: of a call, or of an approval long after it. */
export type ChangeContext = Pick<CarryOutContext, 'tenant' | 'principal' | 'db' | 'now' | 'services'> & {
  readonly account: Account | undefined
  /** Set when the publisher makes the change: its name, the person who acts for it, and why. */
  readonly publisher?: { readonly name: string; readonly person: string; readonly reason: string | undefined }
}

export interface PlannedUpdate {
  readonly before: MediaBuy
  readonly update: Update
  readonly products: ReadonlyMap<string, Product>
  /** What was asked for. */
  readonly request: OrderChange
}

/** Plans what an update_media_buy request asks for against the buy as it is now; nothing is changed yet. */
export async function planUpdate(
  given: WithTotal & { readonly media_buy_id: string },
  context: ChangeContext,
): Promise<PlannedUpdate> {
  const { principal, tenant, services, db, now, publisher } = context
  const before = await namedMediaBuy(db, context, given.media_buy_id)
  const request = withPackageBudgets(given, before)
  const creatives = await creativeFactsOf(db, principal, [before])
  const snapshot = await services.products.get(db, tenant, principal)
  const { declare } = snapshot
  const { byId: products } = await servedProducts(context, snapshot)
  const decider = {
    actor: publisher?.name ?? principal.agentUrl ?? principal.name,
    ...(publisher && { person: publisher.person, reason: publisher.reason }),
  }
  const answered = makeGoodDecisionIn(given)
  if (answered) {
    requireSameRevision(before, given, decider)
    const spent = await countedBy(context, before, creatives)
    const update = decideMakeGood(before, answered, { ...decider, creatives, spent, now })
    await requireAvailability(context, added(before, update), products)
    return { before, update, products, request: given }
  }
  const applied = applyTotal(given, before, request, {
    ...decider,
    principalId: principal.principalId,
    policy: tenant.settings,
    refusesWaiting: principal.conformance,
    products,
    declare,
    keepsOf: keptTargeting(context),
    creatives,
    spent: needsSpend(request, before) ? await spentBy(context, before, creatives) : new Map(),
    now,
    timeZone: timeZoneOf(tenant.settings, services.wiring.timeZone),
  })
  requireTotal(given, applied.buy)
  const update = { ...applied, buy: withChangedHours(context, before, given, applied.buy, products) }
  if (!principal.conformance) {
    requireUpdateBids(request, before, update)
    requireReportFrequency(given, update.buy.packages, products)
  }
  await requireCreatives(context, request, before, products)
  await namingWhatWasSent(given, update.buy, async () => {
    await requireAvailability(context, added(before, update), products)
    await requireRoom(db, poolOf(context), before.packages, update.buy.packages, products)
  })
  return { before, update, products, request: given }
}

/** The packages of an update that come to the buy and hold inventory. */
function added(before: MediaBuy, { buy }: Update): Package[] {
  return buy.packages.slice(before.packages.length).filter(({ reservedImpressions }) => reservedImpressions > 0)
}

/** What is wrong with a budget that a total came to is wrong with the total. */
function applyTotal(given: WithTotal, before: MediaBuy, ...rest: [OrderChange, Parameters<typeof applyUpdate>[2]]): Update {
  try {
    return applyUpdate(before, ...rest)
  } catch (error) {
    const isDerived = given.total_budget !== undefined && !namesPackages(given)
    if (!isDerived || !(error instanceof AdcpError)) throw error
    const { code, message, details, recovery } = error
    throw new AdcpError(code, `total_budget: scaled to it, ${message}`, {
      field: 'total_budget.amount',
      ...(details && { details }),
      ...(recovery && { recovery }),
    })
  }
}

function requireUpdateBids({ packages = [], new_packages: added }: OrderChange, before: MediaBuy, { buy }: Update): void {
  requireBids(packages, namedPackages(packages, before), 'packages')
  requireBids(added, buy.packages.slice(before.packages.length), 'new_packages')
}

/** The bids of an update that have no effect, as paths of the request. */
export function unusedUpdateBids(
  { packages = [], new_packages: added }: OrderChange,
  { before, update }: PlannedUpdate,
): string[] {
  return [
    ...unusedBids(packages, namedPackages(packages, before), 'packages'),
    ...unusedBids(added, update.buy.packages.slice(before.packages.length), 'new_packages'),
  ]
}

/** Sentences on what the packages of an update have otherwise than their buyer may think. A package that was bought keeps the bid that it has. */
export function updateNotes(request: OrderChange, { before, update, products }: PlannedUpdate): string[] {
  const { packages = [], new_packages: added } = request
  const { bidding } = update.buy
  const changed = packages.map(({ targeting_overlay, budget, impressions, bidding: own }) => ({
    ...(budget !== undefined && { budget }),
    ...(impressions !== undefined && { impressions }),
    ...(own === undefined ? { bid_price: 0 } : { bidding: own }),
    ...(targeting_overlay && { targeting_overlay }),
  }))
  return [
    ...packageNotes(changed, namedPackages(packages, update.buy), products, 'packages', 'bid_price', bidding),
    ...packageNotes(added, update.buy.packages.slice(before.packages.length), products, 'new_packages', 'bid_price', bidding),
    ...noticeNotes(before, update.buy),
    ...unreportedNote(request, update.buy.packages, products),
  ]
}

/** Sentences on targeting that an overlay of an update replaced without naming it. */
export function replacedNotes({ packages = [] }: OrderChange, { before, update }: PlannedUpdate): string[] {
  return droppedNotes(packages, namedPackages(packages, before), namedPackages(packages, update.buy))
}

function namedPackages(packages: readonly { readonly package_id: string }[], { packages: known }: MediaBuy) {
  const byId = new Map(known.map((pkg) => [pkg.packageId, pkg]))
  return packages.map(({ package_id }) => byId.get(package_id))
}

/** Whether a change depends on what was spent: budgets cannot fall below it, fees for cancelling are on what remains. */
function needsSpend({ canceled, packages = [] }: OrderChange, before: MediaBuy): boolean {
  if (packages.some(({ budget }) => budget !== undefined)) return true
  const cancels = canceled === true || packages.some((pkg) => pkg.canceled)
  return cancels && before.packages.some(({ cancellationPolicy }) => cancellationPolicy !== undefined)
}

/** Brings a planned update to the ad server. */
export async function changeOrder(context: ChangeContext, anchor: string, planned: PlannedUpdate): Promise<PlannedUpdate> {
  const { before, update } = planned
  return { ...planned, update: { ...update, buy: await changeAtAdServer(context, anchor, before, update.buy) } }
}

/** Brings the ad server back to what is stored. */
export async function restoreOrder(context: ChangeContext, anchor: string, { before }: PlannedUpdate): Promise<void> {
  const stored = await getMediaBuy(context.db, context.principal, before.mediaBuyId)
  if (stored.cancellation) return
  await adServerOf(context).change(anchor, stored.orderId, lineOrders(stored.packages), stored.mediaBuyId)
}

/**
 * Writes an update, and ends what waits for approval and sets the same. `askedAt`: when an update was asked for that waited itself. Gives whether anything
 * changed, and sentences on what was ended and what still waits.
 */
export async function recordUpdate(
  tx: Db,
  context: ChangeContext,
  { before, update, products, request }: PlannedUpdate,
  askedAt?: string,
): Promise<{ readonly changes: boolean; readonly notes: readonly string[] }> {
  const { buy } = update
  const { mediaBuyId } = before
  const made = { mediaBuyId, request, askedAt, now: context.now }
  const notes = await endWaitingChanges(tx, context.principal, made)
  if (buy.revision === before.revision) return { changes: false, notes }
  await saveMediaBuy(tx, context.principal, before, buy)
  await requestReconciliation(tx, context, buy)
  await namingWhatWasSent(request, buy, () => reserve(tx, poolOf(context), before.packages, buy.packages, products))
  return { changes: true, notes }
}

/** Writes the creative assignments of an update and gives the answer to it. */
export async function presentChange(tx: Db, context: ChangeContext, { before, update }: PlannedUpdate, rules?: ActionRules) {
  const { principal, now, account } = context
  const { buy, affected } = update
  if (buy.revision !== before.revision) await assign(tx, principal, update, now)
  const creatives = await creativeFactsOf(tx, principal, [buy])
  return presentUpdated(buy, { creatives, now, affected, sandbox: principal.sandbox || account?.sandbox === true, rules })
}
