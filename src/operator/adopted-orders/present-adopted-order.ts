import type { LineCounters } from '../../domain/ad-serving/existing-line.ts'
import { microsToAmount } from '../../domain/money.ts'
import { statusOfAdopted, wholeOf } from '../../domain/order/adopted-line.ts'
import type { Db } from '../../store/database.ts'
import { adoptedOrderOf } from '../../store/order/adopted-orders.ts'
import type { OrderRow } from '../../store/order/orders.ts'
import type { ActContext } from '../act.ts'
import { type CountedAdoptedLine, countedAdoptedLines, progressOfAdoptedLine, progressOfAdoptedOrder } from '../adopted-lines.ts'
import { type PublisherCalendar, presentFlight, publisherCalendar } from '../flight.ts'
import { requireAdoptedOrder } from '../orders/known-order.ts'
import type { ShownAdoptedOrder } from './adopted-order-shapes.ts'

/** An adopted order with its lines and what the ledger has of them. Throws REFERENCE_NOT_FOUND. `db`: where it is read; default: what is stored. */
export async function readAdoptedOrder(
  context: ActContext,
  orderId: string,
  db: Db = context.store.read,
): Promise<ShownAdoptedOrder> {
  const { tenantId, clock } = context
  const order = await requireAdoptedOrder(db, tenantId, orderId)
  const lines = await countedAdoptedLines(db, tenantId, { orderIds: [orderId] })
  return presentAdoptedOrder(order, lines, { zone: await publisherCalendar(context, tenantId), now: clock() })
}

function presentAdoptedOrder(
  order: OrderRow,
  lines: readonly CountedAdoptedLine[],
  view: { readonly zone: PublisherCalendar; readonly now: Date },
): ShownAdoptedOrder {
  const { id, adoptions } = adoptedOrderOf(order)
  const whole = wholeOf(lines.map(({ line }) => line))
  const sum = (of: 'impressions' | 'spendMicros') => lines.reduce((all, { counted }) => all + counted[of], 0)
  return {
    ...{ order_id: order.order_id, ad_server: order.ad_server, ad_server_order_id: id },
    ...{ name: order.name, advertiser: order.advertiser, currency: order.currency },
    ...{ billing_party: order.party, billed_from: order.billed_from },
    status: statusOfAdopted(whole, view.now),
    flight: presentFlight(whole, view.zone),
    impressions: sum('impressions'),
    charged: microsToAmount(sum('spendMicros')),
    pacing: progressOfAdoptedOrder(lines, view.now),
    adoptions: adoptions.toReversed(),
    lines: lines.map((line) => presentLine(line, view)),
  }
}

const COUNTS = {
  impressions: 'impressions',
  viewableImpressions: 'viewable_impressions',
  clicks: 'clicks',
  completedViews: 'completed_views',
  views: 'views',
} as const satisfies Readonly<Record<keyof LineCounters, string>>

function presentLine(
  counted: CountedAdoptedLine,
  { zone, now }: { readonly zone: PublisherCalendar; readonly now: Date },
): ShownAdoptedOrder['lines'][number] {
  const { id, line } = counted
  const { booked, model, rateMicros, dayRateMicros } = line
  const { goal } = booked
  return {
    ...{ line_id: id, name: booked.name, status: statusOfAdopted(booked, now), guaranteed: booked.isGuaranteed },
    ...{ pricing_model: model, rate: microsToAmount(rateMicros) },
    day_rate: dayRateMicros === undefined ? null : microsToAmount(dayRateMicros),
    ...{ starts_at: booked.startsAt, ends_at: booked.endsAt, flight: presentFlight(booked, zone) },
    goal: goal ? { counts: COUNTS[goal.counts], units: goal.units } : null,
    ...{ impressions: counted.counted.impressions, clicks: counted.counted.clicks },
    charged: microsToAmount(counted.counted.spendMicros),
    pacing: progressOfAdoptedLine(counted, now),
    fault: booked.fault ?? null,
  }
}
