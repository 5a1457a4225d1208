import { microsToAmount } from '../../domain/money.ts'
import { deliveryRows } from '../../tasks/media-buy/delivery-rows.ts'
import type { OperatorContext } from '../operator-context.ts'
import { daysBefore, type ReportDays, reportDays } from './report-range.ts'

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
  readonly before: ReportDays
  readonly currencies: readonly CurrencyRevenue[]
  /** `id` is a UTC day; in order, days without revenue are left out. */
  readonly days: readonly RevenueShare[]
  /** What brought in most first. */
  readonly products: readonly RevenueShare[]
  readonly buyers: readonly RevenueShare[]
  readonly advertisers: readonly RevenueShare[]
}

/**
 * What a publisher earned in a range of UTC days (default: the last 30 to today) and in as many days before; sandbox orders are left out. Days, products, buyers
 * and advertisers each add up to the revenue of their currency exactly. Throws INVALID_REQUEST for wrong days, SERVICE_UNAVAILABLE when an ad server does not report.
 */
export async function showRevenue(
  context: OperatorContext,
  query: { readonly tenantId: string; readonly first?: string | undefined; readonly last?: string | undefined },
): Promise<Revenue> {
  const now = context.clock()
  const days = reportDays(query.first, query.last, now)
  const before = daysBefore(days)
  const range = { first: before.first, last: days.last }
  const { conformance } = context.config
  const wanted = { tenantId: query.tenantId, range, byDay: true, byCreative: false, conformance, now }
  const [revenue, earlier, impressions] = [new Sums(), new Sums(), new Sums()]
  const parts = { days: new Sums(), products: new Sums(), buyers: new Sums(), advertisers: new Sums() }
  for await (const { order, productId, day, metrics } of deliveryRows(
    context.store.read,
    await context.services.adServers(),
    wanted,
  )) {
    if (order.sandbox) continue
    const { currency, brand } = order.buy
    const { spendMicros } = metrics
    if (day < days.first) {
      earlier.add('', currency, spendMicros)
      continue
    }
    revenue.add('', currency, spendMicros)
    impressions.add('', currency, metrics.impressions)
    parts.days.add(day, currency, spendMicros)
    parts.products.add(productId, currency, spendMicros)
    parts.buyers.add(order.principalId, currency, spendMicros)
    parts.advertisers.add(brand?.domain ?? '', currency, spendMicros)
  }
  const currencies = [...new Set([...revenue.currencies(), ...earlier.currencies()])].sort()
  return {
    ...days,
    before,
    currencies: currencies.map((currency) => ({
      currency,
      revenue: microsToAmount(revenue.of('', currency)),
      revenue_before: microsToAmount(earlier.of('', currency)),
      impressions: impressions.of('', currency),
    })),
    days: parts.days.shares().sort((a, b) => (a.id < b.id ? -1 : 1)),
    products: parts.products.shares(),
    buyers: parts.buyers.shares(),
    advertisers: parts.advertisers.shares(),
  }
}

/** Whole numbers by id and currency. */
class Sums {
  readonly #sums = new Map<string, { readonly id: string; readonly currency: string; readonly sum: number }>()

  add(id: string, currency: string, count: number): void {
    this.#sums.set(`${currency} ${id}`, { id, currency, sum: this.of(id, currency) + count })
  }

  of(id: string, currency: string): number {
    return this.#sums.get(`${currency} ${id}`)?.sum ?? 0
  }

  currencies(): string[] {
    return [...this.#sums.values()].map(({ currency }) => currency)
  }

  /** Amounts of money, the largest first; what earned nothing is left out. */
  shares(): RevenueShare[] {
    return [...this.#sums.values()]
      .filter(({ sum }) => sum !== 0)
      .sort((a, b) => b.sum - a.sum || (a.id < b.id ? -1 : 1))
      .map(({ id, currency, sum }) => ({ id, currency, revenue: microsToAmount(sum) }))
  }
}
