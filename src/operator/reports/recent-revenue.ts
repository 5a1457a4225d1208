import { DAY_MS } from '../../domain/calendar/instant.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { microsToAmount } from '../../domain/money.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readDelivery } from './read-delivery.ts'

/** Revenue of the last days, beside that of as many days before; amounts in units of `currency`. */
export interface RecentRevenue {
  readonly currency: string
  /** Days up to today: 1, 7 and 30. */
  readonly days: number
  readonly revenue: number
  readonly before: number
}

const SPANS = [1, 7, 30] as const

/** Revenue of today, of 7 and of 30 days of the publisher up to today, by currency. Throws SERVICE_UNAVAILABLE when an ad server does not report. */
export async function recentRevenue(context: OperatorContext, tenantId: string): Promise<readonly RecentRevenue[]> {
  const today = localDay(context.clock(), await deliveryZone(context.store.read, tenantId))
  const daysAgo = (days: number) => new Date(Date.parse(today) - days * DAY_MS).toISOString().slice(0, 10)
  const [rows = []] = await readDelivery(context, { tenantId }, [{ by: ['day'], first: daysAgo(59), last: today }])
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort()
  return currencies.flatMap((currency) => {
    const between = (first: string, last: string) =>
      microsToAmount(
        rows.reduce((sum, { values: [day = ''], metrics, currency: own }) => {
          return own === currency && day >= first && day <= last ? sum + metrics.spendMicros : sum
        }, 0),
      )
    return SPANS.map((days) => ({
      currency,
      days,
      revenue: between(daysAgo(days - 1), today),
      before: between(daysAgo(2 * days - 1), daysAgo(days)),
    }))
  })
}
