import { partOfDirectLine, statusOfDirectLine, statusOfDirectOrder } from '../../ad-serving/embedded/direct-status.ts'
import { DIRECT, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import type { OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { groupBy } from '../../domain/group-by.ts'
import { offPlan, type Progress, progressOf } from '../../domain/media-buy/progress.ts'
import { statusOfAdopted } from '../../domain/order/adopted-line.ts'
import { mapSteps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../store/database.ts'
import { type CountedLine, listCountedLines } from '../../store/embedded/counted-lines.ts'
import type { EmbeddedOrderRow } from '../../store/embedded/orders.ts'
import { countedAdoptedLines, progressOfAdoptedLine } from '../adopted-lines.ts'
import { type PublisherCalendar, presentFlight, type ShownFlight } from '../flight.ts'
import { MOST_IN_ORDER } from '../size-limits.ts'

/** Lines of 200 orders. */
const MOST_LINES = 200 * MOST_IN_ORDER.lines
/** Adopted orders that run. */
const MOST_ORDERS = 2_000

/** Lines of direct orders with their impressions, by the id of their order. */
export async function linesOfDirectOrders(
  db: Db,
  tenantId: string,
  orders: readonly EmbeddedOrderRow[],
): Promise<ReadonlyMap<string, readonly CountedLine[]>> {
  const ids = orders.map(({ orderId }) => orderId)
  const lines = await listCountedLines(db, tenantId, { prefix: DIRECT, orderIds: ids, limit: MOST_LINES })
  return groupBy(lines, ({ orderId }) => orderId)
}

/** The progress of a direct order, from its lines. */
export function progressOfDirectOrder(order: EmbeddedOrderRow, lines: readonly CountedLine[], now: Date): Progress {
  const parts = lines.flatMap((line) => partOfDirectLine(line, now) ?? [])
  return progressOf(settingsOfStored(order), parts, statusOfDirectOrder(order, lines, now), now)
}

/** The progress of a line of a direct order; `order`: what {@link settingsOfStored} says of its order, which is read once for all of its lines. */
export function progressOfDirectLine(line: CountedLine, order: OrderSettings, now: Date): Progress {
  const part = partOfDirectLine(line, now)
  const flight = part ?? order
  return progressOf(flight, part ? [part] : [], statusOfDirectLine(line, line.order, now), now)
}

/** A line of a direct or an adopted order that runs, or would if it had creatives, and delivers less than planned. */
export interface LineBehind {
  readonly origin: 'entered' | 'adopted'
  readonly orderId: string
  readonly orderName: string
  readonly advertiser: string
  readonly lineId: string
  /** It has nothing to show, and has shown nothing. */
  readonly lacksCreatives: boolean
  readonly pacing: Progress
  readonly flight: ShownFlight
  /** ISO 8601. */
  readonly endsAt: string
}

/** Lines of direct and adopted orders that deliver less than planned after the first tenth of their flight, also for want of creatives, the earliest end first. */
export async function linesBehind(db: Db, tenantId: string, zone: PublisherCalendar, now: Date): Promise<readonly LineBehind[]> {
  const found = [...(await directLinesBehind(db, tenantId, zone, now)), ...(await adoptedLinesBehind(db, tenantId, zone, now))]
  return found.sort((a, b) => (a.endsAt < b.endsAt ? -1 : a.endsAt > b.endsAt ? 1 : 0))
}

async function adoptedLinesBehind(db: Db, tenantId: string, zone: PublisherCalendar, now: Date): Promise<readonly LineBehind[]> {
  const lines = await countedAdoptedLines(db, tenantId, { endsAfter: now, limit: MOST_ORDERS })
  const found = mapSteps(lines, (each): LineBehind[] => {
    const { order, id: lineId, line } = each
    const pacing = progressOfAdoptedLine(each, now)
    if (offPlan(pacing) !== 'behind' || statusOfAdopted(line.booked, now) !== 'active') return []
    const of = { orderId: order.order_id, orderName: order.name, advertiser: order.advertiser, lineId, lacksCreatives: false }
    return [{ origin: 'adopted', ...of, pacing, flight: presentFlight(line.booked, zone), endsAt: line.booked.endsAt }]
  })
  return (await inTurns(found)).flat()
}

async function directLinesBehind(db: Db, tenantId: string, zone: PublisherCalendar, now: Date): Promise<readonly LineBehind[]> {
  const lines = await listCountedLines(db, tenantId, { prefix: DIRECT, from: now, limit: MOST_LINES })
  const orders = new Map(lines.map(({ order }) => [order.orderId, order]))
  const settingsOf = new Map(Array.from(orders, ([orderId, order]) => [orderId, settingsOfStored(order)]))
  const found = mapSteps(lines, (line): LineBehind[] => {
    const settingsOfOrder = settingsOf.get(line.orderId)
    if (!settingsOfOrder) return []
    const pacing = progressOfDirectLine(line, settingsOfOrder, now)
    const status = statusOfDirectLine(line, line.order, now)
    const lacksCreatives = status === 'pending_creatives' && line.order.state === 'active'
    if (offPlan(pacing) !== 'behind' || (status !== 'active' && !lacksCreatives)) return []
    const { settings }: LineDocument = JSON.parse(line.document)
    const { name: orderName, advertiserId: advertiser } = settingsOfOrder
    const lineId = line.anchor.slice(line.order.anchor.length + 1)
    const order = { orderId: line.order.anchor.slice(DIRECT.length), orderName, advertiser }
    const flight = { flight: presentFlight(settings, zone), endsAt: settings.endsAt }
    return [{ origin: 'entered', ...order, lineId, lacksCreatives, pacing, ...flight }]
  })
  return (await inTurns(found)).flat()
}
