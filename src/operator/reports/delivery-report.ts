import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type DeliveryRow, deliveryRows } from '../../tasks/media-buy/delivery-rows.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type ReportDays, reportDays } from './report-range.ts'

/** What a report can be split by, and where a row of delivery has it. */
const DIMENSIONS = {
  order: ({ order }) => order.buy.mediaBuyId,
  product: ({ productId }) => productId,
  buyer: ({ order }) => order.principalId,
  advertiser: ({ order }) => order.buy.brand?.domain ?? '',
  account: ({ order }) => order.buy.accountId,
  creative: ({ creativeId }) => creativeId,
  day: ({ day }) => day,
} satisfies Record<string, (row: DeliveryRow) => string>

export type ReportDimension = keyof typeof DIMENSIONS

/** Names of the dimensions. */
export const REPORT_DIMENSIONS: readonly string[] = Object.keys(DIMENSIONS)

export interface ReportQuery {
  readonly tenantId: string
  /** One to three dimensions, the first one leads. */
  readonly by: readonly string[]
  /** UTC days `YYYY-MM-DD`, both included; default: the last 30 to today. */
  readonly first?: string | undefined
  readonly last?: string | undefined
  readonly buyer?: string | undefined
  readonly product?: string | undefined
  readonly order?: string | undefined
  /** Also what sandbox agents and accounts bought, which costs nobody money. */
  readonly sandbox?: boolean | undefined
}

/** A row: the value of each dimension, and what was delivered; `spent` in units of `currency`. */
export interface ReportRow {
  readonly dimensions: Readonly<Record<string, string>>
  readonly currency: string
  readonly impressions: number
  readonly clicks: number
  readonly completed_views: number
  readonly conversions: number
  readonly spent: number
}

export interface DeliveryReport extends ReportDays {
  readonly by: readonly string[]
  readonly rows: readonly ReportRow[]
  /** One a currency; each is the exact sum of its rows. */
  readonly totals: readonly Omit<ReportRow, 'dimensions'>[]
}

const MAX_DIMENSIONS = 3

/** Rows that a report has at most: what a spreadsheet still opens, and memory holds. */
const MAX_ROWS = 100_000

/**
 * What was delivered in a range of days, by one to three dimensions. Days are UTC days. Throws INVALID_REQUEST for unknown dimensions, for wrong
 * days and a report of more than 100,000 rows; SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function deliveryReport(context: OperatorContext, query: ReportQuery): Promise<DeliveryReport> {
  const now = context.clock()
  const by = dimensionsOf(query.by)
  const days = reportDays(query.first, query.last, now)
  const wanted = {
    tenantId: query.tenantId,
    range: days,
    byDay: by.includes('day'),
    byCreative: by.includes('creative'),
    conformance: context.config.conformance,
    now,
  }
  const sums = new Map<string, Sum>()
  for await (const row of deliveryRows(context.store.read, await context.services.adServers(), wanted)) {
    if (!isWanted(row, query)) continue
    const values = by.map((dimension) => DIMENSIONS[dimension](row))
    const { currency } = row.order.buy
    const key = JSON.stringify([currency, ...values])
    sums.set(key, { values, currency, metrics: addMetrics(sums.get(key)?.metrics ?? NOTHING, row.metrics) })
    if (sums.size > MAX_ROWS) throw tooLong(by)
  }
  const rows = [...sums.values()].sort(orderOf(by))
  return { ...days, by, rows: rows.map((sum) => presentRow(sum, by)), totals: totalsOf(rows) }
}

interface Sum {
  readonly values: readonly string[]
  readonly currency: string
  readonly metrics: Metrics
}

function dimensionsOf(names: readonly string[]): ReportDimension[] {
  const isDimension = (name: string): name is ReportDimension => REPORT_DIMENSIONS.includes(name)
  const wrong = names.find((name) => !isDimension(name))
  if (wrong !== undefined)
    throw new AdcpError('INVALID_REQUEST', `a report cannot be split by "${wrong}"; valid: ${REPORT_DIMENSIONS.join(', ')}`, {
      field: 'by',
    })
  const distinct = [...new Set(names.filter(isDimension))]
  if (distinct.length >= 1 && distinct.length <= MAX_DIMENSIONS) return distinct
  throw new AdcpError('INVALID_REQUEST', `a report is split by one to ${MAX_DIMENSIONS} of ${REPORT_DIMENSIONS.join(', ')}`, {
    field: 'by',
  })
}

function isWanted({ order, productId }: DeliveryRow, { buyer, product, order: id, sandbox }: ReportQuery): boolean {
  if (order.sandbox && sandbox !== true) return false
  return (
    (buyer === undefined || order.principalId === buyer) &&
    (product === undefined || productId === product) &&
    (id === undefined || order.buy.mediaBuyId === id)
  )
}

/** Days in their order; everything else by what it brought in. */
function orderOf(by: readonly ReportDimension[]): (a: Sum, b: Sum) => number {
  const text = ({ values, currency }: Sum) => JSON.stringify([...values, currency])
  const day = by.indexOf('day')
  return (a, b) => {
    if (day >= 0 && a.values[day] !== b.values[day]) return (a.values[day] ?? '') < (b.values[day] ?? '') ? -1 : 1
    return b.metrics.spendMicros - a.metrics.spendMicros || (text(a) < text(b) ? -1 : 1)
  }
}

function presentRow({ values, currency, metrics }: Sum, by: readonly string[]): ReportRow {
  const dimensions = Object.fromEntries(by.map((name, index) => [name, values[index] ?? '']))
  return { dimensions, ...presentMetrics(currency, metrics) }
}

function presentMetrics(currency: string, metrics: Metrics) {
  return {
    currency,
    impressions: metrics.impressions,
    clicks: metrics.clicks,
    completed_views: metrics.completedViews,
    conversions: metrics.conversions,
    spent: microsToAmount(metrics.spendMicros),
  }
}

function totalsOf(rows: readonly Sum[]): DeliveryReport['totals'] {
  const sums = new Map<string, Metrics>()
  for (const { currency, metrics } of rows) sums.set(currency, addMetrics(sums.get(currency) ?? NOTHING, metrics))
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, metrics]) => presentMetrics(currency, metrics))
}

function tooLong(by: readonly string[]): AdcpError {
  const message = `the report by ${by.join(', ')} has more than ${MAX_ROWS} rows; choose fewer days, fewer dimensions, or one buyer or product`
  return new AdcpError('INVALID_REQUEST', message, { field: 'by' })
}
