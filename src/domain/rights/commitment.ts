import type { RightsPrice } from '../brand/brands-file.ts'
import { DAY_MS } from '../calendar/instant.ts'
import { mulDivCeil, priceToMicros } from '../money.ts'
import type { GrantAgreement } from './grant.ts'

const DAYS: Readonly<Record<string, number>> = { daily: 1, weekly: 7 }
const MONTHS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, annual: 12 }

/**
 * What an agreement commits the buyer to, in micros of its currency: every begun period of a flat rate (one when there is no last day), or the
 * estimated impressions of a CPM (AdCP acquire_rights: price / 1000 × estimated_impressions). Overage is not committed.
 */
export function committedMicros({ price, startDate, endDate, estimatedImpressions }: GrantAgreement): number {
  const unit = priceToMicros(price.price, 'price')
  if (price.model === 'cpm') return mulDivCeil(unit, estimatedImpressions ?? 0, 1000)
  return unit * (endDate === undefined ? 1 : periodsBegun(price.period, startDate, endDate))
}

/** The impressions that the price of an agreement includes: as many as its option has for a period, in each that has begun; undefined where the option has no such number. */
export function includedImpressions({ price, startDate, endDate }: GrantAgreement): number | undefined {
  if (price.impression_cap === undefined) return undefined
  return (
    price.impression_cap * (endDate === undefined || price.model === 'cpm' ? 1 : periodsBegun(price.period, startDate, endDate))
  )
}

/** Last day of the first period from a day on; undefined for prices that know no period. */
export function firstPeriodEnd({ model, period = 'one_time' }: RightsPrice, startDate: string): string | undefined {
  if (model === 'cpm' || period === 'one_time') return undefined
  return shifted(afterPeriods(period, startDate, 1), -1)
}

function periodsBegun(period: RightsPrice['period'] = 'one_time', startDate: string, endDate: string): number {
  if (period === 'one_time') return 1
  let periods = 1
  while (afterPeriods(period, startDate, periods) <= endDate) periods += 1
  return periods
}

/** The day on which period `count` has passed. A month that is too short for the day of the start ends on its own last day. */
function afterPeriods(period: string, startDate: string, count: number): string {
  const days = DAYS[period]
  if (days !== undefined) return shifted(startDate, days * count)
  const start = new Date(`${startDate}T00:00:00Z`)
  const months = start.getUTCMonth() + (MONTHS[period] ?? 1) * count
  const last = new Date(Date.UTC(start.getUTCFullYear(), months + 1, 0)).getUTCDate()
  return new Date(Date.UTC(start.getUTCFullYear(), months, Math.min(start.getUTCDate(), last))).toISOString().slice(0, 10)
}

function shifted(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}
