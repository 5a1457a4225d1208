import { type ManualOrder, manualWork, stateOfLine, versionOf } from '../../domain/ad-serving/manual-order.ts'
import { flightDayText } from '../../domain/calendar/flight-days.ts'
import { microsToAmount } from '../../domain/money.ts'
import { listManualOrders } from '../../store/ad-serving/manual-orders.ts'
import { csvText } from '../csv-text.ts'
import { type PublisherCalendar, presentFlight, publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import { getBackend } from './show-ad-servers.ts'

/** Rows of one sheet, and orders of one query. */
const MOST_ROWS = 10_000
const PAGE = 200

export type OrderSheetRow = ReturnType<typeof rowsOf>[number]

/**
 * Lines of orders at an ad server without an API: what a person has to enter there, and how. `all`: what is entered too. Throws REFERENCE_NOT_FOUND
 * for an ad server that does not exist.
 */
export async function orderSheet(
  context: OperatorContext,
  tenantId: string,
  {
    adServer,
    mediaBuyId,
    all = false,
  }: { readonly adServer?: string; readonly mediaBuyId?: string | undefined; readonly all?: boolean },
): Promise<readonly OrderSheetRow[]> {
  const { name } = await getBackend(context, tenantId, adServer)
  const zone = await publisherCalendar(context, tenantId)
  const rows: OrderSheetRow[] = []
  for (let after = ''; ; ) {
    const orders = await listManualOrders(context.store.read, { tenantId, adServer: name, after, limit: PAGE })
    const wanted = orders.filter(({ key }) => mediaBuyId === undefined || key.externalId === mediaBuyId)
    rows.push(...wanted.flatMap((order) => rowsOf(order, zone)).filter(({ to_do }) => all || to_do !== 'nothing'))
    const last = orders.at(-1)
    if (!last || orders.length < PAGE || rows.length >= MOST_ROWS) return rows.slice(0, MOST_ROWS)
    after = last.key.externalId
  }
}

function rowsOf(order: ManualOrder, zone: PublisherCalendar) {
  const work = new Map(manualWork(order).map((each) => [each.line.externalId, each.task]))
  return order.lines.map((line) => {
    const { settings } = line
    const { price } = settings
    return {
      media_buy_id: order.key.externalId,
      package_id: line.externalId,
      to_do: work.get(line.externalId) ?? ('nothing' as const),
      state: stateOfLine(order, line),
      order: order.settings.name,
      advertiser: order.settings.advertiserId,
      product_id: settings.productId,
      units: line.units,
      sizes: line.sizes,
      starts_at: settings.startsAt,
      ends_at: settings.endsAt,
      flight: presentFlight(settings, zone),
      pricing_model: price.model,
      rate: microsToAmount(price.bidMicros ?? price.rateMicros),
      currency: order.settings.currency,
      budget: microsToAmount(settings.budgetMicros),
      goal_impressions: settings.goalImpressions,
      priority: settings.priority,
      pacing: settings.pacing,
      targeting: settings.targeting,
      /** Names this state of the line: it is confirmed with it. */
      version: versionOf(order, line),
    }
  })
}

/** A sheet as CSV (RFC 4180). A person writes into `done` what is there, and imports the sheet again. */
export function orderSheetCsv(rows: readonly OrderSheetRow[]): string {
  const headings = [
    ...[
      'media_buy_id',
      'package_id',
      'to_do',
      'state',
      'order',
      'advertiser',
      'product_id',
      'units',
      'sizes',
      'starts_at',
      'ends_at',
      'first_day',
      'last_day',
    ],
    ...['pricing_model', 'rate', 'currency', 'budget', 'goal_impressions', 'priority', 'pacing', 'targeting', 'version', 'done'],
  ]
  const cells = rows.map((row) => [
    ...[row.media_buy_id, row.package_id, row.to_do, row.state, row.order, row.advertiser, row.product_id, row.units.join('; ')],
    ...[row.sizes.join(' '), row.starts_at, row.ends_at, flightDayText(row.flight.first), flightDayText(row.flight.last)],
    ...[row.pricing_model, row.rate, row.currency, row.budget],
    ...[
      row.goal_impressions ?? '',
      row.priority,
      row.pacing,
      row.targeting ? JSON.stringify(row.targeting) : '',
      row.version,
      '',
    ],
  ])
  return csvText(headings, cells)
}
