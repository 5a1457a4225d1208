import { AdcpError } from '../../protocol/errors.ts'
import { microsToAmount } from '../money.ts'
import { addMetrics, type DayRange, type Metrics, NOTHING } from './delivery.ts'
import type { MediaBuy } from './media-buy.ts'
import { presentValue } from './present-metrics.ts'
import type { AggregatedDelivery, MediaBuyDelivery } from './shown-delivery.ts'

/** What totals need to know of a media buy. */
export interface CountedBuy {
  readonly currency: string
  readonly startsAt: string
  readonly total: Metrics
}

/** Totals over several buys; left out when they are in different currencies, since amounts of money would not add up. */
export function presentAggregate(buys: readonly CountedBuy[]): AggregatedDelivery | undefined {
  if (new Set(buys.map(({ currency }) => currency)).size > 1) return undefined
  const total = buys.reduce<Metrics>((sum, buy) => addMetrics(sum, buy.total), NOTHING)
  return {
    impressions: total.impressions,
    spend: microsToAmount(total.spendMicros),
    clicks: total.clicks,
    ...(total.views > 0 && { views: total.views }),
    ...(total.completedViews > 0 && { completed_views: total.completedViews }),
    ...(total.conversions > 0 && { conversions: total.conversions }),
    ...presentValue(total),
    media_buy_count: buys.length,
  }
}

interface ReportPeriod {
  readonly start: string
  readonly end: string
}

/** What a report covers: the days that were asked for, else from the first start to now. */
export function reportingPeriod(buys: readonly Pick<MediaBuy, 'startsAt'>[], range: DayRange, now: Date): ReportPeriod {
  const at = now.toISOString()
  const begun = new Date(Math.min(now.getTime(), ...buys.map((buy) => Date.parse(buy.startsAt)))).toISOString()
  return {
    start: range.first === undefined ? begun : `${range.first}T00:00:00.000Z`,
    end: range.last === undefined ? at : `${range.last}T23:59:59.999Z`,
  }
}

/** Rows of one report at most, which has no pages: some twenty megabytes. A hundred media buys of 200 packages have a fifth of them. */
const MOST_ROWS = 100_000

/** Counts the rows of a report as it is made. */
export class ReportSize {
  #rows = 0

  /** Throws INVALID_REQUEST, with how to ask for less, when there are more than one answer carries. */
  add({ by_package: packages, daily_breakdown: days, windows = [], totals }: MediaBuyDelivery): void {
    this.#rows += days.length + rowsOf(totals) + windows.length * (packages.length + 1)
    for (const pkg of packages) this.#rows += rowsOf(pkg)
    if (this.#rows <= MOST_ROWS) return
    throw new AdcpError(
      'INVALID_REQUEST',
      `the report would have more than ${MOST_ROWS} rows of packages, days and parts: ask for fewer media buys (media_buy_ids), fewer days (start_date, end_date) or without breakdowns`,
      { field: 'media_buy_ids' },
    )
  }
}

/** A row, and those of the lists in it. */
function rowsOf(row: object): number {
  return Object.values(row).reduce<number>((sum, value) => (Array.isArray(value) ? sum + value.length : sum), 1)
}
