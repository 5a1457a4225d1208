import { microsToAmount } from '../../domain/money.ts'
import type { SumRow } from '../../store/ad-serving/read-sums.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type DeliveryQuestion, readDelivery } from './read-delivery.ts'
import { daysBefore, type ReportDays, reportDays, type ZonedDays } from './report-range.ts'

/** Revenue in one currency, beside that of as many days right before; amounts in units of `currency`. */
export interface CurrencyRevenue {
  readonly currency: string
  readonly revenue: number
  readonly revenue_before: number
  readonly impressions: number
}

export interface RevenueShare {
  readonly id: string
  readonly currency: string
  readonly revenue: number
}

export interface Revenue extends ReportDays {
  readonly time_zone: string
  readonly before: ReportDays
  readonly currencies: readonly CurrencyRevenue[]
  /** `id` is a day of the publisher; in order, days without revenue are left out. */
  readonly days: readonly RevenueShare[]
  /** What brought in most first. */
  readonly products: readonly RevenueShare[]
  readonly buyers: readonly RevenueShare[]
  readonly advertisers: readonly RevenueShare[]
}

export interface RevenueQuery {
  readonly tenantId: string
  readonly first?: string | undefined
  readonly last?: string | undefined
  /** Also what orders of sandbox agents and accounts would have earned. */
  readonly sandbox?: boolean | undefined
}

/**
 * What a publisher earned in a range of its days (default: the last 30 to today) and in as many days before; sandbox orders are left out unless asked for. Days, products, buyers
 * and advertisers each add up to the revenue of their currency exactly. Throws INVALID_REQUEST for wrong days, SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function showRevenue(context: OperatorContext, query: RevenueQuery): Promise<Revenue> {
  const { tenantId, sandbox } = query
  const days = await reportDays(context, query)
  return revenueOf(days, await readDelivery(context, { tenantId, sandbox }, revenueQuestions(days)))
}

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
