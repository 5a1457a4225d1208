import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { shortfallOfDirectLine, statusOfDirectLine } from '../../ad-serving/embedded/direct-status.ts'
import { DIRECT, settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import { type DeliveredLine, isSettled, lastMakeGood, type ShortLine, shortLineOf } from '../../domain/media-buy/make-good.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import { type Shortfall as Missed, SHORTFALL_UNITS, shortfallOf } from '../../domain/media-buy/shortfall.ts'
import { microsToAmount } from '../../domain/money.ts'
import { shortfallOfAdopted, statusOfAdopted } from '../../domain/order/adopted-line.ts'
import { ORIGINS } from '../../domain/order/order-origin.ts'
import { mapSteps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listCountedLines } from '../../store/embedded/counted-lines.ts'
import { findEmbeddedOrderByAnchor } from '../../store/embedded/orders.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import { adoptedOrderOf } from '../../store/order/adopted-orders.ts'
import { orderPages } from '../../tasks/media-buy/delivery-rows.ts'
import { observeOrders, statusesOfOrders } from '../../tasks/media-buy/observe-orders.ts'
import { countedAdoptedLines } from '../adopted-lines.ts'
import { flightShape, type PublisherCalendar, presentFlight, publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { about, number, type Of, object, orNull, string, word } from '../shape.ts'
import { makeGoodShape, presentMakeGood } from './make-good-shape.ts'

/** What is known of a line whose flight is over and that delivered less than what was ordered. */
export const SHORT_LINE = {
  origin: about(
    'buyer: a package of a buyer’s order; entered: a line of a direct order; adopted: a line of an adopted order',
    word(...ORIGINS),
  ),
  order_id: string,
  line_id: string,
  name: about('of the order', orNull(string)),
  product_id: string,
  buyer: about('id of the buyer', orNull(string)),
  buyer_name: orNull(string),
  advertiser: orNull(string),
  unit: about('money: units of `currency`, where other events than impressions are billed', word(...SHORTFALL_UNITS)),
  ordered: number,
  delivered: number,
  missing: about('share of what was ordered, 0 to 1', number),
  currency: about('ISO 4217', string),
  flight: flightShape,
  make_good: about('the last one of the line; null: nothing was offered', orNull(makeGoodShape)),
}
const shortLineShape = object(SHORT_LINE)
type ShownShortLine = Of<typeof shortLineShape>

/** Days. What fell short in flights that ended longer ago is settled, or no longer acted on. */
export const SHORTFALL_DAYS = 30
/** More than a person works off. */
export const MOST_SHORTFALLS = 500

/** What shortfalls are looked for in. */
interface Wanted {
  readonly from: Date
  /** Of one order; undefined: of all. */
  readonly order: string | undefined
  readonly zone: PublisherCalendar
}

/** Lines that ended within so many days and fell short, of any origin, or of one order; the latest end first. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
export async function findShortLines(
  context: OperatorContext,
  tenantId: string,
  days: number,
  order?: string,
): Promise<readonly FoundLine[]> {
  const from = new Date(context.clock().getTime() - days * DAY_MS)
  const wanted = { from, order, zone: await publisherCalendar(context, tenantId) }
  const found = [
    ...(await ofBuyers(context, tenantId, wanted)),
    ...(await ofPeople(context, tenantId, wanted)),
    ...(await ofAdopted(context, tenantId, wanted)),
  ]
  return found
    .sort((a, b) => (a.endsAt === b.endsAt ? (a.shown.line_id < b.shown.line_id ? -1 : 1) : a.endsAt > b.endsAt ? -1 : 1))
    .slice(0, MOST_SHORTFALLS)
}

/** A line that fell short, with what a make-good of it needs to know. */
export interface FoundLine {
  readonly endsAt: string
  readonly line: ShortLine
  readonly delivered: DeliveredLine
  readonly shown: ShownShortLine
}

async function ofBuyers(
  context: OperatorContext,
  tenantId: string,
  { from, order, zone }: Wanted,
): Promise<readonly FoundLine[]> {
  const { store, clock, config, services } = context
  const observer = { tenantId, now: clock(), conformance: config.conformance }
  const adServers = await services.adServers()
  const found: FoundLine[] = []
  const wanted = { tenantId, from: from.toISOString(), endsBefore: observer.now.toISOString(), now: observer.now }
  const pages =
    order === undefined
      ? orderPages(store.read, { ...wanted, sources: ['ledger', 'settled', 'live'] })
      : [await findTenantOrders(store.read, tenantId, [order])]
  for await (const page of pages) {
    const orders = await statusesOfOrders(store.read, observer, page)
    const over = orders.filter(({ status, sandbox }) => status === 'completed' && !sandbox)
    for (const { buy, principalId: buyer, buyerName, delivery } of await observeOrders(
      { db: store.read, adServers },
      observer,
      over,
    )) {
      for (const pkg of buy.packages) {
        const counted = delivery.packages.get(pkg.packageId)
        const missed = shortfallOf(pkg, counted?.total ?? NOTHING)
        const isInTime = order === undefined || pkg.terms.endsAt >= wanted.from
        if (!missed || !isInTime || isSettled(buy.makeGoods, pkg.packageId)) continue
        const of = { order_id: buy.mediaBuyId, name: buy.name ?? null, buyer, buyer_name: buyerName }
        const own = { line_id: pkg.packageId, product_id: pkg.productId, advertiser: buy.brand?.domain ?? null }
        const { currency } = buy
        const make_good = lastShown(buy.makeGoods, pkg.packageId, { currency, now: observer.now, zone })
        const flight = presentFlight(pkg.terms, zone)
        found.push({
          ...{ endsAt: pkg.terms.endsAt, line: shortLineOf(pkg, missed) },
          delivered: { orderId: buy.mediaBuyId, lineId: pkg.packageId, days: counted?.days ?? [] },
          shown: { origin: 'buyer' as const, ...of, ...own, ...present(missed), currency, flight, make_good },
        })
      }
    }
  }
  return found
}

async function ofPeople(
  { store, clock }: OperatorContext,
  tenantId: string,
  { from, order: asked, zone }: Wanted,
): Promise<readonly FoundLine[]> {
  const now = clock()
  const known = asked === undefined ? undefined : await findEmbeddedOrderByAnchor(store.read, tenantId, `${DIRECT}${asked}`)
  if (asked !== undefined && !known) return []
  const of = { prefix: DIRECT, from, until: now, limit: MOST_LINES, ...(known && { orderIds: [known.orderId] }) }
  const lines = await listCountedLines(store.read, tenantId, of)
  const found = mapSteps(lines, (line): FoundLine[] => {
    const missed = statusOfDirectLine(line, line.order, now) === 'completed' ? shortfallOfDirectLine(line) : undefined
    if (!missed) return []
    const { name, advertiserId: advertiser, currency } = settingsOfStored(line.order)
    const { settings }: LineDocument = JSON.parse(line.document)
    const order = { order_id: line.order.anchor.slice(DIRECT.length), name, buyer: null, buyer_name: null, advertiser, currency }
    const lineId = line.anchor.slice(line.order.anchor.length + 1)
    const { makeGoods } = directRecordOf(line.order)
    if (isSettled(makeGoods, lineId)) return []
    const own = { line_id: lineId, product_id: settings.productId }
    const { startsAt, endsAt, price, budgetMicros } = settings
    const flatMicros = price.model === 'flat_rate' ? budgetMicros : undefined
    const make_good = lastShown(makeGoods, lineId, { currency, now, zone })
    const shown = { origin: 'entered' as const, ...order, ...own, ...present(missed), flight: presentFlight(settings, zone) }
    const delivered = { orderId: order.order_id, lineId: line.anchor, days: undefined }
    return [{ endsAt, line: { startsAt, endsAt, missed, flatMicros, currency }, delivered, shown: { ...shown, make_good } }]
  })
  return (await inTurns(found)).flat()
}

async function ofAdopted(
  { store, clock }: OperatorContext,
  tenantId: string,
  { from, order: asked, zone }: Wanted,
): Promise<readonly FoundLine[]> {
  const now = clock()
  const wanted = asked === undefined ? { endsAfter: from, limit: MOST_ORDERS } : { orderIds: [asked] }
  const found = mapSteps(await countedAdoptedLines(store.read, tenantId, wanted), (each): FoundLine[] => {
    const { order, id, line } = each
    const { startsAt, endsAt } = line.booked
    if (asked === undefined && endsAt <= from.toISOString()) return []
    const { makeGoods } = adoptedOrderOf(order)
    const missed = statusOfAdopted(line.booked, now) === 'completed' ? shortfallOfAdopted(line, each.counted) : undefined
    if (!missed || isSettled(makeGoods, id)) return []
    const { currency, name, advertiser } = order
    const of = {
      order_id: order.order_id,
      name,
      buyer: null,
      buyer_name: null,
      advertiser,
      currency,
      line_id: id,
      product_id: '',
    }
    const flatMicros = line.model === 'flat_rate' ? line.rateMicros : undefined
    const flight = presentFlight(line.booked, zone)
    const make_good = lastShown(makeGoods, id, { currency, now, zone })
    return [
      {
        ...{ endsAt, line: { startsAt, endsAt, missed, flatMicros, currency } },
        delivered: { orderId: order.order_id, lineId: each.lineId, days: undefined },
        shown: { origin: 'adopted', ...of, ...present(missed), flight, make_good },
      },
    ]
  })
  return (await inTurns(found)).flat()
}

/** What was offered last for a line. */
function lastShown(
  makeGoods: readonly MakeGood[] | undefined,
  lineId: string,
  shown: { readonly currency: string; readonly now: Date; readonly zone: PublisherCalendar },
) {
  const last = lastMakeGood(makeGoods, lineId)
  return last ? presentMakeGood(last, shown) : null
}

/** Lines that ended in the stretch, short or not. */
const MOST_LINES = 10_000
/** Adopted orders that ended in the stretch or run. */
const MOST_ORDERS = 2_000

function present({ unit, ordered, delivered }: Missed) {
  const shown = (value: number) => (unit === 'money' ? microsToAmount(value) : value)
  const missing = Math.round((1 - delivered / ordered) * 10_000) / 10_000
  return { unit, ordered: shown(ordered), delivered: shown(delivered), missing }
}
