import { microsToAmount } from '../../domain/money.ts'
import type { SumRow } from '../../store/ad-serving/read-sums.ts'
import { defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, named, number, type Of, object, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { SANDBOX } from './delivery-report.ts'
import { type DeliveryQuestion, readDelivery } from './read-delivery.ts'
import {
  daysBefore,
  nothingReported,
  RANGE,
  RANGE_FLAGS,
  rangeMembers,
  rangeShape,
  reportDays,
  type ZonedDays,
} from './report-range.ts'

const currencyRevenue = named(
  'CurrencyRevenue',
  about(
    'Revenue in one currency, beside that of as many days right before; amounts in units of `currency`.',
    object({ currency: about('ISO 4217', string), revenue: number, revenue_before: number, impressions: integer }),
  ),
)

const revenueShare = named('RevenueShare', object({ id: string, currency: about('ISO 4217', string), revenue: number }))
type RevenueShare = Of<typeof revenueShare>

export const revenueShape = named(
  'Revenue',
  object({
    ...rangeMembers,
    time_zone: string,
    before: named('ReportDays', about('Days of a report in the time zone of the publisher, both included.', rangeShape)),
    currencies: listOf(currencyRevenue),
    days: about('`id` is a day of the publisher; in order, days without revenue are left out.', listOf(revenueShare)),
    products: about('What brought in most first.', listOf(revenueShare)),
    buyers: listOf(revenueShare),
    advertisers: listOf(revenueShare),
  }),
)
export type Revenue = Of<typeof revenueShape>

/**
 * What a publisher earned in a range of its days (default: the last 30 to today) and in as many days before; sandbox orders are left out unless asked for. Days, products, buyers
 * and advertisers each add up to the revenue of their currency exactly. Throws INVALID_REQUEST for wrong days, SERVICE_UNAVAILABLE when an ad server does not report.
 */
export const showRevenue = defineAct({
  name: 'revenue.show',
  route: 'GET /reports/revenue',
  id: 'reportRevenue',
  roles: READERS,
  summary: 'Revenue of a range of days of the publisher and of as many days before, by currency.',
  fields: { ...RANGE, sandbox: SANDBOX },
  answer: revenueShape,
  command: { words: 'revenue', flags: RANGE_FLAGS, text: revenueLines },
  async run(context, { sandbox, ...asked }) {
    const days = await reportDays(context, asked)
    return revenueOf(days, await readDelivery(context, { tenantId: context.tenantId, sandbox }, revenueQuestions(days)))
  },
})

/** What revenue asks of the readings of delivery. */
export function revenueQuestions(days: ZonedDays): readonly DeliveryQuestion[] {
  const { first, last } = days
  return [
    { by: ['day'], first: daysBefore(days).first, last },
    { by: ['product'], first, last },
    { by: ['buyer'], first, last },
    { by: ['advertiser'], first, last },
  ]
}

/** Revenue from the answers to its questions. */
export function revenueOf(days: ZonedDays, answers: readonly (readonly SumRow[])[]): Revenue {
  const [byDay = [], byProduct = [], byBuyer = [], byAdvertiser = []] = answers
  const { first, last, timeZone } = days
  const isNow = ({ values: [day = ''] }: SumRow) => day >= first
  const now = byDay.filter(isNow)
  const earlier = byDay.filter((row) => !isNow(row))
  const currencies = [...new Set(byDay.map(({ currency }) => currency))].sort()
  return {
    first,
    last,
    time_zone: timeZone,
    before: daysBefore(days),
    currencies: currencies.map((currency) => ({
      currency,
      revenue: microsToAmount(sumOf(now, currency, 'spendMicros')),
      revenue_before: microsToAmount(sumOf(earlier, currency, 'spendMicros')),
      impressions: sumOf(now, currency, 'impressions'),
    })),
    days: sharesOf(now).sort((a, b) => (a.id < b.id ? -1 : 1)),
    products: sharesOf(byProduct),
    buyers: sharesOf(byBuyer),
    advertisers: sharesOf(byAdvertiser),
  }
}

function sumOf(rows: readonly SumRow[], currency: string, count: 'spendMicros' | 'impressions'): number {
  return rows.reduce((sum, row) => (row.currency === currency ? sum + row.metrics[count] : sum), 0)
}

/** Amounts of money, the largest first; what earned nothing is left out. */
function sharesOf(rows: readonly SumRow[]): RevenueShare[] {
  return rows
    .filter(({ metrics }) => metrics.spendMicros !== 0)
    .map(({ values: [id = ''], currency, metrics }) => ({ id, currency, micros: metrics.spendMicros }))
    .sort((a, b) => b.micros - a.micros || (a.id < b.id ? -1 : 1))
    .map(({ id, currency, micros }) => ({ id, currency, revenue: microsToAmount(micros) }))
}

/** Rows of each table: what earns less is in --json and in the delivery report. */
const MOST_ROWS = 10

function revenueLines(
  { first, last, before, currencies, products, buyers }: Revenue,
  asked: { readonly sandbox?: boolean },
): readonly string[] {
  if (currencies.length === 0) return [nothingReported('earned', { first: before.first, last }, asked)]
  const rows = currencies.map(({ currency, revenue, revenue_before, impressions }) => [
    currency,
    amountText(revenue, currency),
    amountText(revenue_before, currency),
    revenue_before === 0 ? '' : `${revenue >= revenue_before ? '+' : ''}${Math.round((revenue / revenue_before - 1) * 100)} %`,
    String(impressions),
  ])
  const shares = (name: string, list: readonly RevenueShare[]) => [
    '',
    ...table(
      [name, 'REVENUE'],
      list.slice(0, MOST_ROWS).map(({ id, currency, revenue }) => [id, `${amountText(revenue, currency)} ${currency}`]),
    ),
  ]
  return [
    `${first} to ${last}, before: ${before.first} to ${before.last}`,
    '',
    ...table(['CURRENCY', 'REVENUE', 'BEFORE', 'CHANGE', 'IMPRESSIONS'], rows),
    ...shares('PRODUCT', products),
    ...shares('BUYER', buyers),
  ]
}
