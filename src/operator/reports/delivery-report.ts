import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { SumDimension, SumRow } from '../../store/ad-serving/read-sums.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readDelivery } from './read-delivery.ts'
import { type ReportDays, reportDays, type ZonedDays } from './report-range.ts'

/** What a report can be split by. */
const DIMENSIONS = [
  'order',
  'product',
  'buyer',
  'advertiser',
  'account',
  'creative',
  'day',
] as const satisfies readonly SumDimension[]

export type ReportDimension = (typeof DIMENSIONS)[number]

/** Names of the dimensions. */
export const REPORT_DIMENSIONS: readonly string[] = DIMENSIONS

export interface ReportQuery {
  readonly tenantId: string
  /** One to three dimensions, the first one leads. */
  readonly by: readonly string[]
  /** Days of the publisher `YYYY-MM-DD`, both included; default: the last 30 to today. */
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
  readonly time_zone: string
  readonly by: readonly string[]
  readonly rows: readonly ReportRow[]
  /** One a currency; each is the exact sum of its rows. */
  readonly totals: readonly Omit<ReportRow, 'dimensions'>[]
}

const MAX_DIMENSIONS = 3

/** Rows that a report has at most: what a spreadsheet still opens, and memory holds. */
const MAX_ROWS = 100_000

/**
 * What was delivered in a range of days of the publisher, by one to three dimensions. Throws INVALID_REQUEST for unknown dimensions, for wrong
 * days and a report of more than 100,000 rows; SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function deliveryReport(context: OperatorContext, query: ReportQuery): Promise<DeliveryReport> {
  const question = await reportQuestion(context, query)
  const [rows = []] = await readDelivery(context, query, [question])
  return reportOf(question, rows)
}

type ReportQuestion = ZonedDays & { readonly by: readonly ReportDimension[] }

/** What a report asks of the readings of delivery. Throws INVALID_REQUEST as `deliveryReport`. */
export async function reportQuestion(context: OperatorContext, query: ReportQuery): Promise<ReportQuestion> {
  const days = await reportDays(context, query)
  return { ...days, by: dimensionsOf(query.by) }
}

/** The report of what was read. Throws INVALID_REQUEST for more than 100,000 rows. */
export function reportOf({ by, first, last, timeZone }: ReportQuestion, read: readonly SumRow[]): DeliveryReport {
  if (read.length > MAX_ROWS) throw tooLong(by)
  const rows = [...read].sort(orderOf(by))
  return { first, last, time_zone: timeZone, by, rows: rows.map((sum) => presentRow(sum, by)), totals: totalsOf(rows) }
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

/** Days in their order; everything else by what it brought in. */
function orderOf(by: readonly ReportDimension[]): (a: SumRow, b: SumRow) => number {
  const text = ({ values, currency }: SumRow) => JSON.stringify([...values, currency])
  const day = by.indexOf('day')
  return (a, b) => {
    if (day >= 0 && a.values[day] !== b.values[day]) return (a.values[day] ?? '') < (b.values[day] ?? '') ? -1 : 1
    return b.metrics.spendMicros - a.metrics.spendMicros || (text(a) < text(b) ? -1 : 1)
  }
}

function presentRow({ values, currency, metrics }: SumRow, by: readonly string[]): ReportRow {
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

function totalsOf(rows: readonly SumRow[]): DeliveryReport['totals'] {
  const sums = new Map<string, Metrics>()
  for (const { currency, metrics } of rows) sums.set(currency, addMetrics(sums.get(currency) ?? NOTHING, metrics))
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, metrics]) => presentMetrics(currency, metrics))
}

function tooLong(by: readonly string[]): AdcpError {
  const message = `the report by ${by.join(', ')} has more than ${MAX_ROWS} rows; choose fewer days, fewer dimensions, or one buyer or product`
  return new AdcpError('INVALID_REQUEST', message, { field: 'by' })
}
