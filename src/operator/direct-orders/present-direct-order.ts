import { DIRECT_PRICE_MODELS } from '../../ad-serving/embedded/direct-order.ts'
import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { statusOfDirectLine, statusOfDirectOrder } from '../../ad-serving/embedded/direct-status.ts'
import { reportHours } from '../../ad-serving/embedded/embedded-report.ts'
import { DIRECT, getDirectOrder, readDirectOrder, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import { adsOrigin } from '../../config/ads-settings.ts'
import { publicOrigin } from '../../config/config.ts'
import { chargedOf, type Deductions } from '../../domain/billing/invoice-document.ts'
import { groupBy } from '../../domain/group-by.ts'
import { lineRuleWords } from '../../domain/media-buy/cancellation-fee.ts'
import { microsToAmount } from '../../domain/money.ts'
import { NO_TERMS } from '../../domain/order/order-terms.ts'
import type { CountedLine } from '../../store/embedded/counted-lines.ts'
import type { EmbeddedOrderRow } from '../../store/embedded/orders.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import type { ActContext } from '../act.ts'
import { type PublisherCalendar, presentFlight, publisherCalendar } from '../flight.ts'
import { cancellationsOf, type LineCancellation } from './cancellation-fees.ts'
import type { DirectAction, DirectOrderRow, ShownDirectOrder } from './direct-order-shapes.ts'
import { linesOfDirectOrders, progressOfDirectLine, progressOfDirectOrder } from './direct-progress.ts'

/** Direct orders as rows of a list, in their order. */
export async function presentDirectOrders(context: ActContext, orders: readonly EmbeddedOrderRow[]): Promise<DirectOrderRow[]> {
  const zone = await publisherCalendar(context, context.tenantId)
  const lines = await linesOfDirectOrders(context.store.read, context.tenantId, orders)
  return orders.map((order) => presentRow(order, lines.get(order.orderId) ?? [], { zone, now: context.clock() }))
}

/**
 * A direct order with its lines, what they delivered, and its history, newest first; `document` is what entering it again takes (schemas/direct-order.json). Throws
 * REFERENCE_NOT_FOUND.
 */
export async function readShownOrder(context: ActContext, orderId: string): Promise<ShownDirectOrder> {
  const { store, clock, config, tenantId } = context
  const shown = { zone: await publisherCalendar(context, tenantId), now: clock() }
  const row = await getDirectOrder(store.read, tenantId, orderId)
  const rows = await reportHours(store.read, tenantId, [row.anchor], shown.now.getTime())
  const lines = (await linesOfDirectOrders(store.read, tenantId, [row])).get(row.orderId) ?? []
  const rowsOf = groupBy(rows, ({ lineExternalId }) => lineExternalId)
  const { revision, history } = directRecordOf(row)
  const settingsOfOrder = settingsOfStored(row)
  const terms = (await findOrderTerms(store.read, tenantId, [orderId])).get(orderId) ?? NO_TERMS
  const { discountBasisPoints, commissionBasisPoints } = terms
  const deductions = { discountPercent: discountBasisPoints / 100, commissionPercent: commissionBasisPoints / 100 }
  const filesOrigin = adsOrigin(config.ads, publicOrigin(config))
  const presented = presentRow(row, lines, shown)
  return {
    ...presented,
    revision,
    discount_basis_points: discountBasisPoints,
    commission_basis_points: commissionBasisPoints,
    possible_actions: possibleActions(presented),
    document: await readDirectOrder(store.read, tenantId, row, filesOrigin),
    history: history.toReversed(),
    cancellation: (await openCancellations(context, row)).map(({ anchor, currency, policy, fee, freeUntil }) => ({
      line_id: anchor.slice(row.anchor.length + 1),
      owed: microsToAmount(fee.micros),
      free_until: freeUntil ?? null,
      rule: lineRuleWords(fee, policy, currency),
    })),
    lines: lines.map((line) => {
      const { settings, terms: sold, dayRateMicros }: LineDocument = JSON.parse(line.document)
      const own = rowsOf.get(line.anchor) ?? []
      const sum = (of: 'impressions' | 'clicks' | 'spendMicros') => own.reduce((all, each) => all + each[of], 0)
      return {
        line_id: line.anchor.slice(row.anchor.length + 1),
        state: line.state,
        status: statusOfDirectLine(line, row, shown.now),
        product_id: settings.productId,
        priority: sold.priority,
        starts_at: settings.startsAt,
        ends_at: settings.endsAt,
        flight: presentFlight(settings, shown.zone),
        goal: settings.goalImpressions,
        impressions: sum('impressions'),
        clicks: sum('clicks'),
        price: presentPrice(settings.price, dayRateMicros, deductions),
        charged: microsToAmount(sum('spendMicros')),
        charged_net: microsToAmount(chargedOf(sum('spendMicros'), deductions)),
        pacing: progressOfDirectLine(line, settingsOfOrder, shown.now),
      }
    }),
  }
}

/** What a line costs: the price that was entered, and what is left of it. */
function presentPrice(
  price: LineDocument['settings']['price'],
  dayRateMicros: number | undefined,
  deductions: Deductions,
): ShownDirectOrder['lines'][number]['price'] {
  const rateMicros = dayRateMicros ?? price.rateMicros
  const entered = dayRateMicros === undefined ? price.model : 'per_day'
  const model = (['cpm', ...DIRECT_PRICE_MODELS] as const).find((each) => each === entered)
  if (rateMicros === 0 || model === undefined) return null
  return { model, list: microsToAmount(rateMicros), net: microsToAmount(chargedOf(rateMicros, deductions)) }
}

/** Nothing is done to an order that has ended; one that is completed is gone on with by a change of its dates. */
function possibleActions({ state, status }: Pick<DirectOrderRow, 'state' | 'status'>): readonly DirectAction[] {
  if (state === 'ended') return []
  return status === 'completed' ? ['change'] : ['change', state === 'paused' ? 'resume' : 'pause', 'end', 'cancel']
}

/** None of an order that has ended. */
async function openCancellations(context: ActContext, row: EmbeddedOrderRow): Promise<readonly LineCancellation[]> {
  return row.state === 'ended' ? [] : cancellationsOf(context, row, context.clock())
}

function presentRow(
  order: EmbeddedOrderRow,
  lines: readonly CountedLine[],
  { zone, now }: { readonly zone: PublisherCalendar; readonly now: Date },
): DirectOrderRow {
  const settings = settingsOfStored(order)
  const goals = lines.map(({ document }): LineDocument => JSON.parse(document))
  return {
    order_id: order.anchor.slice(DIRECT.length),
    name: settings.name,
    advertiser: settings.advertiserId,
    currency: settings.currency,
    state: order.state,
    status: statusOfDirectOrder(order, lines, now),
    flight: presentFlight(settings, zone),
    goal: goals.reduce((sum, { settings: { goalImpressions } }) => sum + (goalImpressions ?? 0), 0),
    impressions: lines.reduce((sum, { impressions }) => sum + impressions, 0),
    pacing: progressOfDirectOrder(order, lines, now),
  }
}
