import { chargedMicros, flatDayMicros } from '../../domain/ad-serving/charged.ts'
import type { DeliveryReport, DeliveryRow } from '../../domain/ad-serving/delivery-row.ts'
import type { LineSettings } from '../../domain/ad-serving/desired-order.ts'
import { NOTHING } from '../../domain/media-buy/delivery.ts'
import type { ReportRequest } from '../backend.ts'
import type { GamClient, Message } from './client.ts'
import type { GamParts } from './gam-parts.ts'
import { countOf, dateOf, idOf, messageOf, messagesOf, nameOf, textOf } from './messages.ts'

/** Metrics of a report, in the order of its columns. */
const METRICS = [
  'AD_SERVER_IMPRESSIONS',
  'AD_SERVER_CLICKS',
  'AD_SERVER_ACTIVE_VIEW_VIEWABLE_IMPRESSIONS',
  'AD_SERVER_COMPLETED_VIEWS',
]
/** A call of the port has 20 seconds: the report is asked for its end this many times, and the port comes again. */
const POLLS = 5
const POLL_MS = 1_000
/** Reports take seconds, rarely minutes. */
const MOST_ROUNDS = 100
const PAGE_SIZE = '1000'

interface ReportParts extends Pick<GamParts, 'client' | 'clock' | 'memory' | 'lookups'> {
  readonly pause: (ms: number) => Promise<void>
}

/** What a report goes on with: the operation while it runs, then its result a page at a time. */
interface Cursor {
  readonly operation?: string
  readonly round?: number
  readonly result?: string
  readonly pageToken?: string
}

/**
 * Delivery by line and UTC day. The report is made hidden, run as a long-running operation, and its rows are read a page at a time; the rest of each is
 * left to the next call. Spend follows from the price that was booked, whatever someone made of the rate of the line item.
 */
export async function gamReport(parts: ReportParts, request: ReportRequest): Promise<DeliveryReport> {
  const { client } = parts
  const cursor = request.after === undefined ? await startReport(parts, request) : readCursor(client, request.after)
  if (!cursor) return { rows: [] }
  if (cursor.result !== undefined) return resultPage(parts, request, cursor)
  const result = await waitFor(parts, cursor)
  if (result !== undefined) return { rows: [], next: JSON.stringify({ result }) }
  const round = (cursor.round ?? 0) + 1
  if (round > MOST_ROUNDS) throw new Error(`a report of Google Ad Manager did not end (${cursor.operation})`)
  return { rows: [], next: JSON.stringify({ ...cursor, round }) }
}

function readCursor({ network }: GamClient, text: string): Cursor {
  const value: unknown = JSON.parse(text)
  const message: Message = typeof value === 'object' && value !== null ? { ...value } : {}
  const [operation, result, pageToken] = [textOf(message, 'operation'), textOf(message, 'result'), textOf(message, 'pageToken')]
  if (!(operation ?? result ?? '').startsWith(`${network}/`))
    throw new Error('the report goes on with something that is no report of the network')
  return {
    ...(operation !== undefined && { operation, round: countOf(message, 'round') }),
    ...(result !== undefined && { result }),
    ...(pageToken !== undefined && { pageToken }),
  }
}

async function startReport(
  { client, clock, memory }: ReportParts,
  { tenantId, orderExternalIds, since }: ReportRequest,
): Promise<Cursor | undefined> {
  const recalled = await Promise.all(orderExternalIds.map((externalId) => memory.recall({ tenantId, externalId })))
  const orderIds = recalled.flatMap(({ order }) => (order?.name === undefined ? [] : [idOf(order.name)]))
  if (orderIds.length === 0) return undefined
  const report = {
    displayName: 'Delivery of booked orders',
    visibility: 'HIDDEN',
    reportDefinition: {
      reportType: 'HISTORICAL',
      dimensions: ['DATE', 'LINE_ITEM_ID'],
      metrics: METRICS,
      timeZoneSource: 'UTC',
      dateRange: { fixed: { startDate: dateOf(since), endDate: dateOf(clock().toISOString().slice(0, 10)) } },
      filters: [
        {
          fieldFilter: { field: { dimension: 'ORDER_ID' }, operation: 'IN', values: orderIds.map((intValue) => ({ intValue })) },
        },
      ],
    },
  }
  const name = nameOf(await client.post(`${client.network}/reports`, report, 'creation'))
  const operation = nameOf(await client.post(`${name}:run`, { name }, 'repeatable'))
  return { operation }
}

/** Name of the result; undefined while the report runs. Throws what the operation failed with. */
async function waitFor({ client, pause }: ReportParts, { operation = '' }: Cursor): Promise<string | undefined> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const state = await client.get(operation)
    if (state.done === true) {
      const result = textOf(messageOf(state, 'response'), 'reportResult')
      if (result !== undefined) return result
      throw new Error(
        `a report of Google Ad Manager failed: ${textOf(messageOf(state, 'error'), 'message') ?? 'no reason given'}`,
      )
    }
    if (poll + 1 < POLLS) await pause(POLL_MS)
  }
  return undefined
}

async function resultPage(
  { client, memory, lookups, clock }: ReportParts,
  request: ReportRequest,
  { result = '', pageToken }: Cursor,
): Promise<DeliveryReport> {
  const answer = await client.get(`${result}:fetchRows`, { pageSize: PAGE_SIZE, ...(pageToken !== undefined && { pageToken }) })
  const lines = await linesOf(memory, request)
  const at = { currency: await lookups.currency(), now: clock() }
  const rows = messagesOf(answer, 'rows').flatMap((row) => rowOf(row, lines, at))
  const next = textOf(answer, 'nextPageToken')
  return { rows, ...(next !== undefined && { next: JSON.stringify({ result, pageToken: next }) }) }
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

function rowOf(
  row: Message,
  lines: ReadonlyMap<string, BookedLine>,
  at: Parameters<typeof flatDayMicros>[2],
): readonly DeliveryRow[] {
  const [date, lineId] = messagesOf(row, 'dimensionValues').map((value) => countOf(value, 'intValue'))
  const [group] = messagesOf(row, 'metricValueGroups')
  const [impressions = 0, clicks = 0, viewableImpressions = 0, completedViews = 0] = messagesOf(group, 'primaryValues').map(
    (value) => countOf(value, 'intValue'),
  )
  const line = lines.get(String(lineId))
  if (!line || date === undefined) return []
  const text = String(date)
  const period = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`
  const counts = { ...NOTHING, impressions, clicks, viewableImpressions, completedViews, views: completedViews }
  return [{ ...counts, lineExternalId: line.externalId, period, spendMicros: spendMicros(line.settings, counts, period, at) }]
}

/** What a day costs: the billed units at the price that was booked, to the micro, rounded down; of a flat price, the part of the day where anything was shown. */
function spendMicros(
  settings: LineSettings,
  counts: Omit<DeliveryRow, 'lineExternalId' | 'period' | 'spendMicros'>,
  period: string,
  at: Parameters<typeof flatDayMicros>[2],
): number {
  if (settings.price.model === 'flat_rate') return counts.impressions > 0 ? flatDayMicros(settings, period, at) : 0
  return chargedMicros(settings.price, counts) ?? 0
}
