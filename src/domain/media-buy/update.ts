import { AdcpError, Faults } from '../../protocol/errors.ts'
import { NameSearch } from '../../protocol/nearest-name.ts'
import type { PolicySource } from '../approval/policy.ts'
import type { Flight } from '../calendar/flight.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import type { KeepsTargeting } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import { sameValue } from '../same-value.ts'
import { assignmentsOf, type NewAssignments } from './assignments-in.ts'
import type { Bidding } from './bid.ts'
import { owedFor } from './cancellation-fee.ts'
import { MAX_PACKAGES, packageIdOf, withoutBank } from './create.ts'
import { capWords } from './daily-cap.ts'
import { isTerminal, mediaBuyStatus, transition } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import { namedIn } from './media-buy-name.ts'
import { packageNotFound } from './not-found.ts'
import type { OrderChange, PackageUpdate } from './order-request.ts'
import { planPackages } from './plan-packages.ts'
import { requireSameSeasons } from './price-of-season.ts'
import { requireActions } from './require-actions.ts'
import { type Change, cancellationOf, type Revision, revise } from './revise.ts'
import { requireOneUnit } from './shared-bid.ts'
import { requireSize } from './size.ts'
import { outerFlight, requireAgreedExtent, requireFlatFlights, withDates } from './update-flight.ts'
import { withBidding, withCap } from './update-limits.ts'
import { updatePackage } from './update-package.ts'

export interface UpdateContext {
  readonly actor: string
  /** The person at the publisher who makes the change; absent for a change of the buyer's. */
  readonly person?: string | undefined
  /** Why the publisher makes it, for the buyer; at most a few sentences. */
  readonly reason?: string | undefined
  readonly principalId: string
  /** Products of the packages that are changed or added. */
  readonly products: ReadonlyMap<string, Product>
  /** Which changes the publisher approves, for errors that list what is possible. */
  readonly policy?: PolicySource
  /** Whether a change that a product allows by approval alone is refused instead of waiting for a person. */
  readonly refusesWaiting?: boolean | undefined
  /** Declares the formats of the products. */
  readonly declare: Declare
  /** What the ad servers of the products keep of their targeting. */
  readonly keepsOf: KeepsTargeting
  readonly creatives: CreativeFacts
  /** Spend so far by package id, micros. */
  readonly spent: ReadonlyMap<string, number>
  readonly now: Date
  /** The publisher's (IANA). */
  readonly timeZone: string
}

export interface Update extends Revision, NewAssignments {}

/**
 * Applies update_media_buy to a media buy, all of it or nothing. Throws CONFLICT (other `revision`), NOT_CANCELLABLE or INVALID_STATE (status),
 * PACKAGE_NOT_FOUND, and the codes of the fields that change. An update that changes nothing keeps the revision.
 */
export function applyUpdate(buy: MediaBuy, request: OrderChange, context: UpdateContext): Update {
  requireSameRevision(buy, request, context)
  const status = mediaBuyStatus(buy, context.creatives, context.now)
  if (request.canceled) transition(status, 'canceled')
  if (isTerminal(status)) throw new AdcpError('INVALID_STATE', `the media buy is ${status} and can no longer be changed`)
  requireActions(buy, request, {
    status,
    products: context.products,
    policy: context.policy ?? {},
    refusesWaiting: context.refusesWaiting === true,
  })
  if (request.canceled)
    return { ...cancel(buy, request.cancellation_reason, context), assignments: new Map(), additions: new Map() }
  requireChanges(request)
  const names = new NameSearch()
  requireOwnPackages(buy, request, names)
  const outer = outerFlight(buy, request, context.now)
  const changes: Change[] = []
  const moved = withDates(buy, outer)
  if (moved !== buy) changes.push({ action: 'updated_dates', summary: `Flight is now ${outer.startsAt} to ${outer.endsAt}` })
  const bidding = request.bidding === undefined ? buy.bidding : (request.bidding ?? undefined)
  const isRebid = !sameValue(bidding, buy.bidding)
  if (isRebid) changes.push({ action: 'updated_bidding', summary: `Bidding ${bidding ? 'changed' : 'taken away'}` })
  const paused = request.paused ?? buy.paused
  if (paused !== buy.paused)
    changes.push(paused ? { action: 'paused', summary: 'Paused' } : { action: 'resumed', summary: 'Resumed' })
  const packages = changePackages(
    withBidding(moved, bidding),
    request,
    outer,
    isRebid || moved !== buy,
    { ...context, names, wasBidding: buy.bidding },
    changes,
  ).map((pkg, index) => {
    const old = buy.packages[index]
    return old && pkg.cancellation ? { ...pkg, ...owedFor(buy, old, context) } : pkg
  })
  if (context.person === undefined) {
    requireFlatFlights(buy.packages, packages)
    requireSameSeasons(buy.packages, packages)
    requireAgreedExtent(buy, packages)
  }
  const added = addPackages(withBidding(moved, bidding), request, outer, { ...context, names }, changes)
  const next = { ...withBidding(moved, bidding), ...extras(request), paused, packages: [...packages, ...added] }
  requireOneUnit(next.packages, bidding)
  const capped = withCap(next, request, changes)
  const revised = revise(
    buy,
    capped,
    changes.map((change) => attributed(change, context)),
    context,
  )
  requireSize(revised.buy, added.length > 0 ? 'new_packages' : 'packages', buy)
  const { assignments, additions } = assignmentsOf(request, added)
  const touched = new Set([...revised.affected, ...assignments.keys(), ...additions.keys()])
  const affected = revised.buy.packages.map((pkg) => pkg.packageId).filter((packageId) => touched.has(packageId))
  return { buy: revised.buy, affected, assignments, additions }
}

/** Throws CONFLICT for an update that names another revision than the buy has. */
export function requireSameRevision(
  buy: MediaBuy,
  { revision }: Pick<OrderChange, 'revision'>,
  { person }: Pick<UpdateContext, 'person'>,
): void {
  if (revision === undefined || revision === buy.revision) return
  const message =
    person === undefined
      ? `revision is ${revision}, the media buy is at ${buy.revision}: read it with get_media_buys and send the change again`
      : `revision is ${revision}, the order is at ${buy.revision}: look at it again, and then make the change`
  throw new AdcpError('CONFLICT', message, { field: 'revision', details: { revision: buy.revision } })
}

/** The history says which changes are the publisher's, and why it made them. */
function attributed(change: Change, { person, reason }: UpdateContext): Change {
  if (person === undefined) return change
  return { ...change, summary: `${change.summary} by the publisher${reason === undefined ? '' : `: ${reason}`}` }
}

/** A buy canceled as a whole: its lines stop and its inventory is free, its packages stay as they are. */
function cancel(buy: MediaBuy, reason: string | undefined, context: UpdateContext): Revision {
  const packages = buy.packages.map((pkg) => ({ ...pkg, ...owedFor(buy, pkg, context), reservedImpressions: 0 }))
  const isOwn = context.person === undefined
  const next = { ...buy, cancellation: cancellationOf(isOwn ? 'buyer' : 'seller', reason, context.now), packages }
  const change: Change = { action: 'canceled', summary: isOwn ? 'Canceled by the buyer' : 'Canceled' }
  return revise(buy, next, [attributed(change, context)], context)
}

/** Members of a package entry that change its package; the others say which is meant, carry the caller's own data, or are unknown. */
const CHANGES: Readonly<Record<Exclude<keyof PackageUpdate, 'package_id' | 'cancellation_reason'>, true>> = {
  ...{ budget: true, daily_budget_cap: true, pacing: true, bid_price: true, bidding: true, impressions: true },
  ...{ start_time: true, end_time: true, paused: true, canceled: true, catalogs: true, optimization_goals: true },
  ...{ targeting_overlay: true, keyword_targets_add: true, keyword_targets_remove: true },
  ...{ negative_keywords_add: true, negative_keywords_remove: true, creative_assignments: true, creatives: true },
}

/** The request's schema lets an entry name its package only, or beside it what nobody knows. Throws INVALID_REQUEST naming the entry. */
function requireChanges({ packages = [] }: OrderChange): void {
  const index = packages.findIndex((update) => !Object.keys(update).some((name) => Object.hasOwn(CHANGES, name)))
  if (index < 0) return
  const field = `packages[${index}]`
  const examples = 'budget, paused, canceled, bid_price, targeting_overlay, creative_assignments'
  throw new AdcpError('INVALID_REQUEST', `${field} names no change of its package; a package can change: ${examples} and more`, {
    field,
  })
}

/** Throws an error that names every entry whose package is not one of the buy, or that is named twice. */
function requireOwnPackages(buy: MediaBuy, { packages = [] }: OrderChange, names: NameSearch): void {
  const faults = new Faults()
  const known = new Set(buy.packages.map(({ packageId }) => packageId))
  for (const [index, { package_id }] of packages.entries()) {
    const field = `packages[${index}].package_id`
    faults.attempt(() => {
      if (!known.has(package_id)) throw packageNotFound(buy, package_id, field, names)
      if (packages.findIndex((other) => other.package_id === package_id) !== index)
        throw new AdcpError('INVALID_REQUEST', `${field} is named twice: put all changes of a package into one entry`, { field })
    })
  }
  faults.settle()
}

/** With the search for names that were meant, which all entries of an update share. */
type Searching = UpdateContext & { readonly names: NameSearch }

function changePackages(
  buy: MediaBuy,
  request: OrderChange,
  outer: Flight,
  touchesAll: boolean,
  context: Searching & { readonly wasBidding: Bidding | undefined },
  changes: Change[],
): Package[] {
  const faults = new Faults()
  const changed = buy.packages.map((pkg) => {
    const index = request.packages?.findIndex((update) => update.package_id === pkg.packageId) ?? -1
    const update = request.packages?.[index] ?? (touchesAll && !pkg.cancellation ? { package_id: pkg.packageId } : undefined)
    if (!update) return pkg
    const next = faults.attempt(() =>
      updatePackage(pkg, update, {
        outer,
        product: context.products.get(pkg.productId),
        keepsOf: context.keepsOf,
        creatives: context.creatives.get(pkg.packageId) ?? [],
        spentMicros: context.spent.get(pkg.packageId) ?? 0,
        canceledBy: context.person === undefined ? 'buyer' : 'seller',
        bidding: { after: buy.bidding, before: context.wasBidding },
        now: context.now,
        names: context.names,
        path: index >= 0 ? `packages[${index}]` : 'packages',
      }),
    )
    if (index >= 0 && next) changes.push(...describe(pkg, next))
    return next ?? pkg
  })
  faults.settle()
  return changed
}

function describe(before: Package, after: Package): Change[] {
  const { packageId } = before
  if (after.cancellation) return [{ action: 'package_canceled', summary: 'Package canceled', packageId }]
  const changes: Change[] = []
  if (after.terms.budgetMicros !== before.terms.budgetMicros)
    changes.push({ action: 'updated_budget', summary: 'Package budget changed', packageId })
  const cap = capWords(before.terms.dailyCap?.ownMicros, after.terms.dailyCap?.ownMicros, after.pricing.currency)
  if (cap !== undefined) changes.push({ action: 'updated_daily_cap', summary: `Package: ${cap}`, packageId })
  if (after.paused !== before.paused) {
    changes.push(
      after.paused
        ? { action: 'package_paused', summary: 'Package paused', packageId }
        : { action: 'package_resumed', summary: 'Package resumed', packageId },
    )
  }
  return changes.length > 0 ? changes : [{ action: 'updated_packages', summary: 'Package changed', packageId }]
}

function addPackages(buy: MediaBuy, request: OrderChange, outer: Flight, context: Searching, changes: Change[]): Package[] {
  if (!request.new_packages) return []
  if (buy.packages.length + request.new_packages.length > MAX_PACKAGES) {
    const message = `new_packages would make it ${buy.packages.length + request.new_packages.length} packages; a media buy has at most ${MAX_PACKAGES}`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'new_packages', suggestion: 'create another media buy' })
  }
  const startsAt = new Date(Math.max(Date.parse(outer.startsAt), context.now.getTime())).toISOString()
  const added = planPackages(request.new_packages, {
    flight: { startsAt, endsAt: outer.endsAt },
    products: context.products,
    declare: context.declare,
    keepsOf: context.keepsOf,
    names: context.names,
    principalId: context.principalId,
    bidding: buy.bidding,
    now: context.now,
    timeZone: context.timeZone,
    field: 'new_packages',
    packageId: (index) => packageIdOf(buy.mediaBuyId, buy.packages.length + index),
  })
  if (added.some((pkg) => pkg.pricing.currency !== buy.currency)) {
    const field = 'new_packages[0].pricing_option_id'
    throw new AdcpError('INVALID_REQUEST', `${field} must be priced in ${buy.currency}`, { field })
  }
  changes.push({ action: 'updated_packages', summary: `Added ${added.length} package${added.length === 1 ? '' : 's'}` })
  return added
}

function extras(request: OrderChange): Partial<MediaBuy> {
  return {
    ...namedIn(request),
    ...(request.invoice_recipient && { invoiceRecipient: withoutBank(request.invoice_recipient) }),
  }
}
