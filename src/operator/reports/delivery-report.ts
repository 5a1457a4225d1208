import { compareTexts } from '../../domain/compare-texts.ts'
import { addMetrics, type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { SumRow } from '../../store/ad-serving/read-sums.ts'
import { isNamed, reportNames } from '../../store/ad-serving/report-names.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { exact, flag, some, someOf, upTo, type Values } from '../fields.ts'
import { OF_BUYER } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { idText } from '../text-form.ts'
import { table } from '../text-table.ts'
import { type DeliveryReport, DIMENSIONS, type ReportDimension, type ReportRow, reportShape } from './delivery-report-shape.ts'
import { readDelivery } from './read-delivery.ts'
import { reportCsv } from './report-csv.ts'
import { nothingReported, RANGE, RANGE_FLAGS, reportDays, type ZonedDays } from './report-range.ts'

export const MAX_DIMENSIONS = 4

/** The field that takes sandbox orders in. */
export const SANDBOX = flag('also orders of sandbox buyers, which earn nothing')

/** Why delivery is not split by what people look for beside the dimensions. */
const UNSUMMED =
  'placements and hours are in the report of placements; the size, country and device of an impression are not kept, so that nothing is summed by them'

const BY = some(upTo(MAX_DIMENSIONS, someOf(DIMENSIONS, `of ${DIMENSIONS.join(', ')}; default: order`)))

/** The fields of a question about delivery. */
export const REPORT_FIELDS = {
  ...RANGE,
  by: { ...BY, words: `${BY.words} (${UNSUMMED})` },
  buyer: OF_BUYER,
  product: exact(idText('of one product')),
  order: idText('of one order'),
  sandbox: SANDBOX,
}
/** What is asked: one to four dimensions, the first one leads; days of the publisher, both included. */
export type ReportQuery = Values<typeof REPORT_FIELDS>

/** Rows that a report has at most: as many as are sorted, named and written while others are served. */
const MAX_ROWS = 10_000

/**
 * What was delivered in a range of days of the publisher, by one to four dimensions. Throws INVALID_REQUEST for unknown dimensions, for wrong
 * days and a report of more than 10,000 rows; SERVICE_UNAVAILABLE when an ad server does not report.
 */
export const deliveryReport = defineAct({
  name: 'delivery.report',
  route: 'GET /reports/delivery',
  id: 'reportDelivery',
  roles: READERS,
  summary: 'Delivery and revenue of a range of days of the publisher, by one to four dimensions.',
  fields: REPORT_FIELDS,
  answer: reportShape,
  command: { flags: RANGE_FLAGS, text: reportLines, csv: reportCsv },
  async run(context, query) {
    const question = await reportQuestion(context, query)
    const [rows = []] = await readDelivery(context, { ...query, tenantId: context.tenantId }, [question])
    return reportOf(context, question, rows)
  },
})

type ReportQuestion = ZonedDays & { readonly by: readonly ReportDimension[]; readonly most: number }

/** What a report asks of the readings of delivery. Throws INVALID_REQUEST as `deliveryReport`. */
export async function reportQuestion(
  context: ActContext,
  { by = ['order'], ...days }: Pick<ReportQuery, 'by' | 'first' | 'last'>,
): Promise<ReportQuestion> {
  return { ...(await reportDays(context, days)), by: [...new Set(by)], most: MAX_ROWS }
}

/** The report of what was read. Throws INVALID_REQUEST for more than 10,000 rows. */
export async function reportOf(
  { store, tenantId }: ActContext,
  { by, first, last, timeZone, most }: ReportQuestion,
  read: readonly SumRow[],
): Promise<DeliveryReport> {
  if (read.length > most) throw tooLong(by, most)
  const rows = [...read].sort(orderOf(by))
  const names = new Map<string, ReadonlyMap<string, string>>()
  for (const [index, dimension] of by.entries()) {
    if (!isNamed(dimension)) continue
    const ids = rows.flatMap(({ values }) => values[index] || [])
    names.set(dimension, await reportNames(store.read, tenantId, dimension, ids))
  }
  const shown: ReportRow[] = []
  await eachInTurns(rows, (sum) => void shown.push(presentRow(sum, by, names)))
  return { first, last, time_zone: timeZone, by, rows: shown, totals: totalsOf(rows) }
}

/** Days in their order; everything else by what it brought in. */
function orderOf(by: readonly ReportDimension[]): (a: SumRow, b: SumRow) => number {
  const day = by.indexOf('day')
  return (a, b) => {
    if (day >= 0 && a.values[day] !== b.values[day]) return (a.values[day] ?? '') < (b.values[day] ?? '') ? -1 : 1
    return b.metrics.spendMicros - a.metrics.spendMicros || compareLists([...a.values, a.currency], [...b.values, b.currency])
  }
}

/** By the first value that differs. */
function compareLists(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((value, place) => value !== b[place])
  return index < 0 ? 0 : compareTexts(a[index] ?? '', b[index] ?? '')
}

function presentRow(
  { values, currency, metrics }: SumRow,
  by: readonly string[],
  known: ReadonlyMap<string, ReadonlyMap<string, string>>,
): ReportRow {
  const dimensions = Object.fromEntries(by.map((name, index) => [name, values[index] ?? '']))
  const names = by.flatMap((dimension, index): (readonly [string, string])[] => {
    const name = known.get(dimension)?.get(values[index] ?? '')
    return name === undefined ? [] : [[dimension, name]]
  })
  return { dimensions, names: Object.fromEntries(names), ...presentMetrics(currency, metrics) }
}

function presentMetrics(currency: string, metrics: Metrics) {
  return {
    currency,
    impressions: metrics.impressions,
    viewable_impressions: metrics.viewableImpressions,
    clicks: metrics.clicks,
    completed_views: metrics.completedViews,
    conversions: metrics.conversions,
    spent: microsToAmount(metrics.spendMicros),
    ...ratesOf(metrics),
  }
}

/** Shares of the impressions, and their price; a correction may leave none. */
function ratesOf({ impressions, viewableImpressions, clicks, completedViews, spendMicros }: Metrics) {
  const of = (value: number) => (impressions > 0 ? value / impressions : null)
  const thousand = of(spendMicros)
  return {
    viewable_rate: of(viewableImpressions),
    click_rate: of(clicks),
    completion_rate: of(completedViews),
    ecpm: thousand === null ? null : microsToAmount(Math.round(thousand * 1000)),
  }
}

function totalsOf(rows: readonly SumRow[]): DeliveryReport['totals'] {
  const sums = new Map<string, Metrics>()
  for (const { currency, metrics } of rows) sums.set(currency, addMetrics(sums.get(currency) ?? NOTHING, metrics))
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, metrics]) => presentMetrics(currency, metrics))
}

function tooLong(by: readonly string[], most: number): AdcpError {
  const message = `the report by ${by.join(', ')} has more than ${most} rows; choose fewer days, fewer dimensions, or one buyer, product or order`
  return new AdcpError('INVALID_REQUEST', message, { field: 'by' })
}

/** A delivery report as lines of text. */
export function reportLines(
  { first, last, by, rows, totals }: DeliveryReport,
  asked: Pick<ReportQuery, 'sandbox'>,
): readonly string[] {
  if (rows.length === 0) return [nothingReported('delivered', { first, last }, asked)]
  const cells = ({ impressions, clicks, spent, currency }: DeliveryReport['totals'][number]) => [
    String(impressions),
    String(clicks),
    `${amountText(spent, currency)} ${currency}`,
  ]
  const body = rows.map((row) => [...by.map((name) => row.dimensions[name] ?? ''), ...cells(row)])
  const sums = totals.map((total) => [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)])
  const headings = [...by.map((name) => name.toUpperCase()), 'IMPRESSIONS', 'CLICKS', 'SPENT']
  return [`${first} to ${last}`, '', ...table(headings, [...body, ...sums])]
}
