import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { totalBudgetMicros } from '../../domain/media-buy/create.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import {
  carryOutPublisherChange,
  type PlannedChange,
  type PublisherChange,
  planPublisherChange,
} from '../../tasks/media-buy/change-as-publisher.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { changedMembers } from '../changed-members.ts'
import { count, ids, oneOf, required, some } from '../fields.ts'
import { type PublisherCalendar, presentFlight, publisherCalendar } from '../flight.ts'
import { end, readEnd } from '../moment.ts'
import { reasonField } from '../reasons.ts'
import { READERS, SELLERS } from '../roles.ts'
import { findObservedOrder, findOrder } from './find-order.ts'
import {
  type ChangedOrder,
  changedOrder,
  ORDER_ACTIONS,
  type OrderAction,
  type OrderConsequences,
  orderConsequences,
} from './order-shapes.ts'
import { ORDER, showOrder } from './show-order.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const CHANGE = {
  order: ORDER,
  reason: reasonField('why, for the buyer and the history'),
  revision: count('the revision that was seen: the change is refused when the order has another one by now'),
}
const PACKAGES = { ...CHANGE, package_ids: some(ids('only these packages')) }
const END = end('the new end; a day is the last one, in the time zone of the publisher')

const END_FLAG = { ends_at: 'end' }
const PACKAGE_FLAG = { package_ids: 'package' }

/** What is asked of an order: members of the acts below. */
interface Asked {
  readonly order: string
  readonly reason?: string
  readonly revision?: number
  readonly package_ids?: readonly string[]
  readonly ends_at?: string
}

/**
 * What a change would come to, without making it: to be shown before it is confirmed. Throws what the change would throw.
 */
export const previewOrderChange = defineAct({
  name: 'orders.preview',
  route: 'GET /orders/{order}/preview',
  id: 'previewOrderChange',
  roles: READERS,
  summary: 'The effects that a change of an order would have. Nothing is changed.',
  fields: {
    order: ORDER,
    action: required(oneOf(ORDER_ACTIONS, 'the change')),
    ends_at: { ...END, about: `for extend: ${END.about}` },
    package_ids: PACKAGES.package_ids,
  },
  answer: orderConsequences,
  command: { text: consequenceLines, args: ['order', 'action'], flags: { ...END_FLAG, ...PACKAGE_FLAG } },
  run: (context, { action, ...asked }) => consequencesOf(context, action, asked),
})

/**
 * Stops delivery of an order, or of some of its packages, until it is resumed. The ad server is notified first, the buyer by its webhooks and in
 * get_media_buys. Throws REFERENCE_NOT_FOUND, INVALID_STATE for an order that is over, CONFLICT, SERVICE_UNAVAILABLE when the ad server cannot be reached.
 */
export const pauseOrder = defineAct({
  name: 'orders.pause',
  route: 'POST /orders/{order}/pause',
  id: 'pauseOrder',
  roles: SELLERS,
  summary: 'Stops delivery of an order, or of some packages, until it is resumed.',
  fields: PACKAGES,
  answer: changedOrder,
  command: commandOf('pause'),
  run: (context, asked) => change(context, 'pause', asked),
})

/** Lets a paused order, or some of its packages, deliver again. Throws as {@link pauseOrder} does. */
export const resumeOrder = defineAct({
  name: 'orders.resume',
  route: 'POST /orders/{order}/resume',
  id: 'resumeOrder',
  roles: SELLERS,
  summary: 'Lets a paused order, or some packages, deliver again.',
  fields: PACKAGES,
  answer: changedOrder,
  command: commandOf('resume'),
  run: (context, asked) => change(context, 'resume', asked),
})

/**
 * Moves the end of the flight, at the same budget. Who governs the buyer's money has to agree. Throws as {@link pauseOrder} does, INVALID_REQUEST for an end
 * that is past, PRODUCT_UNAVAILABLE when guaranteed inventory is not there.
 */
export const extendOrder = defineAct({
  name: 'orders.extend',
  route: 'POST /orders/{order}/extend',
  id: 'extendOrder',
  roles: SELLERS,
  summary: 'Moves the end of the flight, at the same budget.',
  fields: { ...CHANGE, ends_at: required(END) },
  answer: changedOrder,
  command: commandOf('extend'),
  run: (context, asked) => change(context, 'extend', asked),
})

/** Ends an order for good; what it has reserved is free again. Throws as {@link pauseOrder} does, and NOT_CANCELLABLE. */
export const cancelOrder = defineAct({
  name: 'orders.cancel',
  route: 'POST /orders/{order}/cancel',
  id: 'cancelOrder',
  roles: SELLERS,
  summary: 'Ends an order for good, and frees what it has reserved.',
  fields: { ...CHANGE, reason: required(CHANGE.reason) },
  answer: changedOrder,
  command: {
    ...commandOf('cancel'),
    confirm: ({ order }) => `Order ${order} ends for good (--dry-run shows what that comes to). Go on?`,
  },
  run: (context, asked) => change(context, 'cancel', asked),
})

function commandOf(action: OrderAction) {
  return {
    flags: action === 'extend' ? END_FLAG : action === 'cancel' ? {} : PACKAGE_FLAG,
    text: (done: ChangedOrder) => changedLines(action, done),
    dryRun: ({ reason: _reason, revision: _revision, ...asked }: Asked) => ({
      act: previewOrderChange,
      values: { ...asked, action },
    }),
  }
}

function changedLines(action: OrderAction, { changed, order }: ChangedOrder): string[] {
  const { media_buy_id: id, status, paused, flight, revision } = order
  const state = paused ? 'paused' : status
  const so = action === 'extend' ? 'ends then' : `is ${state}`
  const done = changed ? `${id} is ${state}` : `${id} ${so} already, and nothing was changed`
  return [`${done}; its last day is ${flightDayText(flight.last)} (${flight.time_zone}), revision ${revision}`]
}

function consequenceLines(what: OrderConsequences): string[] {
  if (!what.changed) return [`${what.media_buy_id}: nothing would change`]
  const money = (amount: number) => `${amountText(amount, what.currency)} ${what.currency}`
  const [before, after] = [what.flight_before, what.flight_after].map(({ last }) => flightDayText(last))
  const end = what.ends_at_after === what.ends_at_before ? [] : [`last day: ${before} → ${after}`]
  return [
    ...what.history.map((summary) => `${what.media_buy_id}: ${summary}`),
    `spent ${money(what.spent)} of ${money(what.budget)}; ${money(what.unspent)} not spent`,
    ...(what.released_impressions > 0 ? [`${what.released_impressions} reserved impressions become free`] : []),
    ...end,
  ]
}

async function consequencesOf(context: ActContext, action: OrderAction, asked: Asked): Promise<OrderConsequences> {
  const order = await findObservedOrder(context, context.tenantId, asked.order)
  const services = await context.services.approvals(context.store)
  const planned = await plan(context, services, action, asked)
  const { before, update } = planned
  const zone = planned.zone
  const [budget, spent] = [totalBudgetMicros(before), order.delivery.total.spendMicros]
  const reserved = (packages: readonly { readonly reservedImpressions: number }[]) =>
    packages.reduce((sum, { reservedImpressions }) => sum + reservedImpressions, 0)
  return {
    action,
    changed: isChange(planned),
    ...{ order_id: before.mediaBuyId, media_buy_id: before.mediaBuyId },
    revision: before.revision,
    currency: before.currency,
    budget: microsToAmount(budget),
    spent: microsToAmount(spent),
    unspent: microsToAmount(Math.max(0, budget - spent)),
    released_impressions: Math.max(0, reserved(before.packages) - reserved(update.buy.packages)),
    ends_at_before: before.endsAt,
    ends_at_after: update.buy.endsAt,
    flight_before: presentFlight(before, zone),
    flight_after: presentFlight(update.buy, zone),
    history: update.buy.history.slice(before.history.length).map(({ summary }) => summary),
  }
}

async function change(context: ActContext, action: OrderAction, asked: Asked): Promise<ChangedOrder> {
  const services = await context.services.approvals(context.store)
  const planned = await plan(context, services, action, asked)
  const { before, update } = planned
  const changed = isChange(planned)
  context.noteAllChanges(changedMembers(notedTerms(before), notedTerms(update.buy)))
  if (changed) await carryOutPublisherChange(context.store, planned)
  return { changed, order: await showOrder.run(context, { order: asked.order }) }
}

async function plan(
  context: ActContext,
  services: Awaited<ReturnType<ActContext['services']['approvals']>>,
  action: OrderAction,
  { ends_at: wantedEnd, ...others }: Asked,
): Promise<PlannedChange & { readonly zone: PublisherCalendar }> {
  const { order: id, reason, revision } = others
  const { tenantId } = context
  const zone = await publisherCalendar(context, tenantId)
  const asked = { ...others, ...(wantedEnd !== undefined && { ends_at: readEnd(wantedEnd, zone.calendar) }) }
  const order = await findOrder(context, tenantId, id)
  const decision = { person: context.actor.credential, reason, now: context.clock() }
  if (action === 'extend') requireLater(order.buy.endsAt, asked)
  const wanted = { ...changeOf(action, asked), ...(revision !== undefined && { revision }) }
  return { ...(await planPublisherChange(services, tenantId, order, wanted, decision)), zone }
}

/** An order that is extended runs longer: what would end it sooner is refused, and not done under that name. */
function requireLater(endsAt: string, { ends_at: end }: Asked): void {
  if (end === undefined || Date.parse(end) >= Date.parse(endsAt)) return
  const message = `ends_at is before the end of the order, ${endsAt}: extending takes a later end; to end it sooner, cancel it, or have its buyer move its end`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'ends_at' })
}

function changeOf(action: OrderAction, { ends_at: end, package_ids: packageIds = [] }: Asked): PublisherChange {
  if (action === 'cancel') return { canceled: true }
  if (action === 'extend') {
    if (end === undefined) throw new AdcpError('INVALID_REQUEST', 'extending needs the new end', { field: 'ends_at' })
    return { end_time: end }
  }
  const paused = action === 'pause'
  return packageIds.length > 0 ? { packages: packageIds.map((package_id) => ({ package_id, paused })) } : { paused }
}

/** What an act on an order can change of it, for the audit log. */
function notedTerms({ revision, paused, cancellation, endsAt, packages }: PlannedChange['before']): object {
  const ofPackages = packages.map((each) => [
    each.packageId,
    { paused: each.paused, canceled: each.cancellation !== undefined, ends_at: each.terms.endsAt },
  ])
  return { revision, paused, canceled: cancellation !== undefined, ends_at: endsAt, packages: Object.fromEntries(ofPackages) }
}

function isChange({ before, update }: PlannedChange): boolean {
  return update.buy.revision !== before.revision
}
