import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { shortfallOfDirectLine, statusOfDirectLine } from '../../ad-serving/embedded/direct-status.ts'
import { DIRECT, getDirectOrder, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import { type DayMetrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { type ShortLine, shortLineOf } from '../../domain/media-buy/make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { shortfallOf } from '../../domain/media-buy/shortfall.ts'
import { shortfallOfAdopted, statusOfAdopted } from '../../domain/order/adopted-line.ts'
import type { OrderOrigin } from '../../domain/order/order-origin.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listCountedLines } from '../../store/embedded/counted-lines.ts'
import { adoptedOrderOf, findAdoptedOrder } from '../../store/order/adopted-orders.ts'
import type { ObservedOrder } from '../../tasks/media-buy/observe-orders.ts'
import type { ActContext } from '../act.ts'
import { countedAdoptedLines } from '../adopted-lines.ts'
import { findObservedOrder } from '../orders/find-order.ts'
import { knownOrder } from '../orders/known-order.ts'

/** A line whose flight is over and that fell short, with what a make-good of it needs to know. */
export interface OfferableLine {
  readonly origin: OrderOrigin
  readonly line: ShortLine
  /** What the order has it as. */
  readonly lineId: string
  /** What its ledger and its charges have it as. */
  readonly chargedAs: string
  readonly productId: string
  /** What its ad server counts of a buyer's line; undefined: the ledger has it. */
  readonly days: readonly DayMetrics[] | undefined
  /** Remedies that were agreed with the buyer (AdCP core/measurement-terms.json); undefined: any. */
  readonly agreed: readonly string[] | undefined
  /** The buyer's order; undefined: it is of the publisher's people. */
  readonly order: ObservedOrder | undefined
}

/** Make-goods of an order of any origin, the oldest first, and its currency. Throws REFERENCE_NOT_FOUND. */
export async function makeGoodsOf(
  context: ActContext,
  orderId: string,
): Promise<{ readonly makeGoods: readonly MakeGood[]; readonly currency: string }> {
  const { origin } = await knownOrder(context, orderId)
  if (origin === 'buyer') {
    const { buy } = await findObservedOrder(context, context.tenantId, orderId)
    return { makeGoods: buy.makeGoods ?? [], currency: buy.currency }
  }
  const adopted = await findAdoptedOrder(context.store.read, context.tenantId, orderId)
  if (adopted) return { makeGoods: adoptedOrderOf(adopted).makeGoods ?? [], currency: adopted.currency }
  const row = await getDirectOrder(context.store.read, context.tenantId, orderId)
  return { makeGoods: directRecordOf(row).makeGoods ?? [], currency: settingsOfStored(row).currency }
}

/** A line of an order of any origin that can be made good. Throws REFERENCE_NOT_FOUND for the order or its line, INVALID_STATE for a line that runs, was ended or did not fall short. */
export async function offerableLine(context: ActContext, orderId: string, lineId: string): Promise<OfferableLine> {
  const { origin } = await knownOrder(context, orderId)
  if (origin === 'adopted') return adoptedLine(context, orderId, lineId)
  return origin === 'buyer' ? packageOfBuyer(context, orderId, lineId) : lineOfPeople(context, orderId, lineId)
}

async function adoptedLine(context: ActContext, orderId: string, lineId: string): Promise<OfferableLine> {
  const lines = await countedAdoptedLines(context.store.read, context.tenantId, { orderIds: [orderId] })
  const found = lines.find((each) => each.id === lineId || each.lineId === lineId)
  if (!found)
    throw noLine(
      lineId,
      lines.map(({ id }) => id),
    )
  const { id, lineId: chargedAs, line, counted, order } = found
  const { startsAt, endsAt } = line.booked
  const missed = statusOfAdopted(line.booked, context.clock()) === 'completed' ? shortfallOfAdopted(line, counted) : undefined
  if (!missed) throw notShort(lineId)
  const flatMicros = line.model === 'flat_rate' ? line.rateMicros : undefined
  const short = { startsAt, endsAt, missed, flatMicros, currency: order.currency }
  return {
    ...{ origin: 'adopted', line: short, lineId: id, chargedAs, productId: '' },
    ...{ days: undefined, agreed: undefined, order: undefined },
  }
}

async function packageOfBuyer(context: ActContext, orderId: string, lineId: string): Promise<OfferableLine> {
  const order = await findObservedOrder(context, context.tenantId, orderId)
  const { buy, delivery, status } = order
  const pkg = buy.packages.find(({ packageId }) => packageId === lineId)
  if (!pkg)
    throw noLine(
      lineId,
      buy.packages.map(({ packageId }) => packageId),
    )
  const isOver = Date.parse(pkg.terms.endsAt) <= context.clock().getTime() && status !== 'canceled' && status !== 'rejected'
  const { total = NOTHING, days = [] } = delivery.packages.get(lineId) ?? {}
  const missed = isOver && buy.confirmedAt !== undefined ? shortfallOf(pkg, total) : undefined
  if (!missed) throw notShort(lineId)
  const agreed = pkg.measurementTerms?.makegood_policy?.available_remedies
  const line = shortLineOf(pkg, missed)
  return { origin: 'buyer', line, lineId, chargedAs: lineId, productId: pkg.productId, days, agreed, order }
}

/** Lines of one direct order. */
const MOST_LINES = 200

async function lineOfPeople(context: ActContext, orderId: string, lineId: string): Promise<OfferableLine> {
  const { store, tenantId, clock } = context
  const row = await getDirectOrder(store.read, tenantId, orderId)
  const lines = await listCountedLines(store.read, tenantId, { prefix: DIRECT, orderIds: [row.orderId], limit: MOST_LINES })
  const idOf = ({ anchor }: { readonly anchor: string }) => anchor.slice(row.anchor.length + 1)
  const found = lines.find((line) => idOf(line) === lineId || line.anchor === lineId)
  if (!found) throw noLine(lineId, lines.map(idOf))
  const missed = statusOfDirectLine(found, row, clock()) === 'completed' ? shortfallOfDirectLine(found) : undefined
  if (!missed) throw notShort(lineId)
  const { settings }: LineDocument = JSON.parse(found.document)
  const { price, productId, startsAt, endsAt, budgetMicros } = settings
  const { currency } = settingsOfStored(row)
  const flatMicros = price.model === 'flat_rate' ? budgetMicros : undefined
  return {
    origin: 'entered',
    line: { startsAt, endsAt, missed, flatMicros, currency },
    lineId: idOf(found),
    chargedAs: found.anchor,
    productId,
    days: undefined,
    agreed: undefined,
    order: undefined,
  }
}

function noLine(lineId: string, known: readonly string[]): AdcpError {
  const message = `the order has no line ${lineId}; its lines: ${known.join(', ')}`
  return new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'line' })
}

function notShort(lineId: string): AdcpError {
  const message = `line ${lineId} runs, was ended, or delivered what was ordered; orders shortfalls shows the lines that can be made good`
  return new AdcpError('INVALID_STATE', message, { field: 'line' })
}
