import { chargedMicros, flatDayMicros } from '../../domain/ad-serving/charged.ts'
import type { DeliveryReport, DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import type { LineCounters } from '../../domain/ad-serving/existing-line.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import type { ReportRequest } from '../backend.ts'
import type { Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, dateOf, idOf, messagesOf } from './messages.ts'
import { dayOfNumber, partOfReport, type RunParts } from './report-run.ts'

/** Metrics of a report, in the order of its columns. */
const METRICS = [
  'AD_SERVER_IMPRESSIONS',
  'AD_SERVER_CLICKS',
  'AD_SERVER_ACTIVE_VIEW_VIEWABLE_IMPRESSIONS',
  'AD_SERVER_COMPLETED_VIEWS',
]
interface ReportParts extends RunParts, Pick<GamParts, 'clock' | 'memory'> {}

/**
 * Delivery by line and UTC day, a part at a time. Spend follows from the price that was booked, whatever someone made of the rate of the line item.
 */
export async function gamReport(parts: ReportParts, request: ReportRequest): Promise<DeliveryReport> {
  const { memory, clock } = parts
  const orderIds = request.after === undefined ? await orderIdsOf(memory, request) : []
  if (request.after === undefined && orderIds.length === 0) return { rows: [] }
  const { rows, next } = await partOfReport(parts, request.after, {
    displayName: 'Delivery of booked orders',
    of: () => deliveryReport(orderIds, request.since, clock()),
  })
  const more = next !== undefined && { next }
  if (rows.length === 0) return { rows: [], ...more }
  const lines = await linesOf(memory, request)
  const priced = { now: clock(), calendar: localCalendar(request.timeZone ?? 'UTC') }
  return { rows: rows.flatMap((row) => rowOf(row, lines, priced)), ...more }
}

async function orderIdsOf(
  memory: ReportParts['memory'],
  { tenantId, orderExternalIds }: ReportRequest,
): Promise<readonly string[]> {
  const recalled = await Promise.all(orderExternalIds.map((externalId) => memory.recall({ tenantId, externalId })))
  return recalled.flatMap(({ order }) => (order?.name === undefined ? [] : [idOf(order.name)]))
}

/** A report of the delivery of orders by line item and UTC day; read it with {@link countsOfRow}. */
export function deliveryReport(orderIds: readonly string[], since: string, now: Date): Message {
  return {
    reportType: 'HISTORICAL',
    dimensions: ['DATE', 'LINE_ITEM_ID'],
    metrics: METRICS,
    // The source UTC is for reports of the revenue alone (ReportDefinition.TimeZoneSource).
    timeZoneSource: 'PROVIDED',
    timeZone: 'Etc/UTC',
    dateRange: { fixed: { startDate: dateOf(since), endDate: dateOf(now.toISOString().slice(0, 10)) } },
    filters: [
      {
        fieldFilter: { field: { dimension: 'ORDER_ID' }, operation: 'IN', values: orderIds.map((intValue) => ({ intValue })) },
      },
    ],
  }
}

/** A line of ours that rows of the report are of. */
interface BookedLine {
  readonly externalId: string
  readonly settings: LineSettings
}

/** Lines of the orders by id of the network, as they are remembered: what people made of them there changes neither whose they are nor what they cost. */
async function linesOf(
  memory: ReportParts['memory'],
  { tenantId, orderExternalIds }: ReportRequest,
): Promise<ReadonlyMap<string, BookedLine>> {
  const recalled = await Promise.all(orderExternalIds.map((externalId) => memory.recall({ tenantId, externalId })))
  return new Map(
    recalled.flatMap(({ lines }) =>
      [...lines].flatMap(([externalId, { name, settings }]) =>
        name === undefined ? [] : [[idOf(name), { externalId, settings }] as const],
      ),
    ),
  )
}

/** A row of {@link deliveryReport}: the id of its line item, its day (`YYYY-MM-DD`) and what was counted. */
export function countsOfRow(row: Message) {
  const [date, lineId] = messagesOf(row, 'dimensionValues').map((value) => countOf(value, 'intValue'))
  const [group] = messagesOf(row, 'metricValueGroups')
  const [impressions = 0, clicks = 0, viewableImpressions = 0, completedViews = 0] = messagesOf(group, 'primaryValues').map(
    (value) => countOf(value, 'intValue'),
  )
  return {
    lineId: lineId === undefined ? undefined : String(lineId),
    period: date === undefined ? undefined : dayOfNumber(date),
    counts: { impressions, clicks, viewableImpressions, completedViews, views: completedViews },
  }
}

/** By when and by whose days a flat price is earned. */
type Priced = Parameters<typeof flatDayMicros>[2]

function rowOf(row: Message, lines: ReadonlyMap<string, BookedLine>, priced: Priced): readonly DeliveryRow[] {
  const { lineId, period, counts } = countsOfRow(row)
  const line = lines.get(lineId ?? '')
  if (!line || period === undefined) return []
  const spent = spendMicros(line.settings, counts, period, priced)
  return [{ ...NOTHING, ...counts, lineExternalId: line.externalId, period, spendMicros: spent }]
}

/** What a day costs: the billed units at the price that was booked, to the micro, rounded down; of a flat price, the day where anything was shown. */
function spendMicros(settings: LineSettings, counts: LineCounters, period: string, priced: Priced): number {
  if (settings.price.model === 'flat_rate') return counts.impressions > 0 ? flatDayMicros(settings, period, priced) : 0
  return chargedMicros(settings.price, counts) ?? 0
}
