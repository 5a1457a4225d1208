import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  carryOutPublisherChange,
  type PlannedChange,
  type PublisherChange,
  planPublisherChange,
} from '../../tasks/media-buy/change-as-publisher.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { findObservedOrder, findOrder } from './find-order.ts'
import type { ShownOrder } from './present-order.ts'
import { showOrder } from './show-order.ts'

/** The order that is changed. */
export interface NamedOrder {
  readonly tenantId: string
  readonly mediaBuyId: string
  /** Why, for the buyer and the history; at most 500 characters. */
  readonly reason?: string | undefined
  /** The revision that the person saw; the change is refused with CONFLICT when the order has another one by now. */
  readonly revision?: number | undefined
}

/** Pausing and resuming may be of some packages of the order alone. */
export interface PauseInput extends NamedOrder {
  readonly packageIds?: readonly string[] | undefined
}

/** An order after a change. `changed` is false when it was so before: nothing was written then. */
export interface ChangedOrder {
  readonly changed: boolean
  readonly order: ShownOrder
}

/** What a publisher can do to an order. */
export type OrderAction = 'pause' | 'resume' | 'cancel' | 'extend'

/** What a change would come to; money in units of `currency`. */
export interface OrderConsequences {
  readonly action: OrderAction
  readonly changed: boolean
  readonly media_buy_id: string
  readonly revision: number
  readonly currency: string
  readonly budget: number
  readonly spent: number
  /** Of the budget, not yet spent: a cancellation gives it up. */
  readonly unspent: number
  /** Impressions of guaranteed packages that other orders can have afterwards. */
  readonly released_impressions: number
  readonly ends_at_before: string
  readonly ends_at_after: string
  /** What the history of the order, which the buyer sees, will say. */
  readonly history: readonly string[]
}

const MAX_REASON = 500

/**
 * Stops delivery of an order, or of some of its packages, until it is resumed. The ad server is notified first, the buyer by its webhooks and in
 * get_media_buys. Throws REFERENCE_NOT_FOUND, INVALID_STATE for an order that is over, CONFLICT, SERVICE_UNAVAILABLE when the ad server cannot be reached.
 */
export function pauseOrder(context: OperatorContext, input: PauseInput): Promise<ChangedOrder> {
  return change(context, 'pause', input, pauseOf(input, true))
}

/** Lets a paused order, or some of its packages, deliver again. Throws as {@link pauseOrder} does. */
export function resumeOrder(context: OperatorContext, input: PauseInput): Promise<ChangedOrder> {
  return change(context, 'resume', input, pauseOf(input, false))
}

/** Ends an order for good; what it has reserved is free again. A reason is required. Throws as {@link pauseOrder} does, and NOT_CANCELLABLE. */
export function cancelOrder(context: OperatorContext, input: NamedOrder & { readonly reason: string }): Promise<ChangedOrder> {
  return change(context, 'cancel', input, { canceled: true })
}

/**
 * Moves the end of the flight, at the same budget. `endsAt` is ISO 8601. Who governs the buyer's money has to agree. Throws as {@link pauseOrder} does,
 * INVALID_REQUEST for an end that is past, PRODUCT_UNAVAILABLE when guaranteed inventory is not there.
 */
export function extendOrder(context: OperatorContext, input: NamedOrder & { readonly endsAt: string }): Promise<ChangedOrder> {
  return change(context, 'extend', input, { end_time: input.endsAt })
}

/** What a change would come to, without making it: to be shown before it is confirmed. Throws what the change would throw. */
export async function previewOrderChange(
  context: OperatorContext,
  action: OrderAction,
  input: PauseInput & { readonly endsAt?: string | undefined },
): Promise<OrderConsequences> {
  const order = await findObservedOrder(context, input.tenantId, input.mediaBuyId)
  const services = await context.services.approvals(context.store)
  const planned = await plan(context, services, input, changeOf(action, input))
  const { before, update } = planned
  const [budget, spent] = [totalBudgetMicros(before), order.delivery.total.spendMicros]
  const reserved = (packages: readonly { readonly reservedImpressions: number }[]) =>
    packages.reduce((sum, { reservedImpressions }) => sum + reservedImpressions, 0)
  return {
    action,
    changed: isChange(planned),
    media_buy_id: before.mediaBuyId,
    revision: before.revision,
    currency: before.currency,
    budget: microsToAmount(budget),
    spent: microsToAmount(spent),
    unspent: microsToAmount(Math.max(0, budget - spent)),
    released_impressions: Math.max(0, reserved(before.packages) - reserved(update.buy.packages)),
    ends_at_before: before.endsAt,
    ends_at_after: update.buy.endsAt,
    history: update.buy.history.slice(before.history.length).map(({ summary }) => summary),
  }
}

async function change(
  context: OperatorContext,
  action: OrderAction,
  input: NamedOrder,
  wanted: PublisherChange,
): Promise<ChangedOrder> {
  const { tenantId, mediaBuyId } = input
  const store = auditedStore(context, { task: `orders.${action}`, tenant: tenantId, subject: mediaBuyId })
  const services = await context.services.approvals(store)
  const planned = await plan(context, services, input, wanted)
  const changed = isChange(planned)
  if (changed) await carryOutPublisherChange(store, planned)
  return { changed, order: await showOrder(context, tenantId, mediaBuyId) }
}

async function plan(
  context: OperatorContext,
  services: Awaited<ReturnType<OperatorContext['services']['approvals']>>,
  { tenantId, mediaBuyId, reason, revision }: NamedOrder,
  wanted: PublisherChange,
): Promise<PlannedChange> {
  if (reason !== undefined && reason.length > MAX_REASON)
    throw new AdcpError('INVALID_REQUEST', `the reason has ${reason.length} characters; at most ${MAX_REASON}`, {
      field: 'reason',
    })
  const order = await findOrder(context, tenantId, mediaBuyId)
  const decision = { person: context.actor.credential, reason, now: context.clock() }
  return planPublisherChange(services, tenantId, order, { ...wanted, ...(revision !== undefined && { revision }) }, decision)
}

function changeOf(action: OrderAction, input: PauseInput & { readonly endsAt?: string | undefined }): PublisherChange {
  if (action === 'cancel') return { canceled: true }
  if (action !== 'extend') return pauseOf(input, action === 'pause')
  if (input.endsAt === undefined) throw new AdcpError('INVALID_REQUEST', 'extending needs the new end', { field: 'ends_at' })
  return { end_time: input.endsAt }
}

function pauseOf({ packageIds }: PauseInput, paused: boolean): PublisherChange {
  return packageIds && packageIds.length > 0 ? { packages: packageIds.map((package_id) => ({ package_id, paused })) } : { paused }
}

function isChange({ before, update }: PlannedChange): boolean {
  return update.buy.revision !== before.revision
}
