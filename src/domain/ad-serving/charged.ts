import type { Flight } from '../calendar/flight.ts'
import { type LocalCalendar, nextDay } from '../calendar/local-time.ts'
import type { Metrics } from '../media-buy/delivery.ts'
import { mulDiv } from '../money.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { LinePrice } from './desired-order.ts'
import { flatEarning } from './flat-earning.ts'

type Counts = Pick<Metrics, 'impressions' | 'clicks' | 'views' | 'viewableImpressions' | 'completedViews'>

/** Billed units that one price buys: prices of impressions are per thousand. */
export function unitsPerPrice(model: PricingModel): number {
  return model === 'cpm' || model === 'vcpm' ? 1000 : 1
}

/** What a number of billed units costs at a rate: quantity × rate in micros, rounded down. The rate is the one that is charged, never the bid. */
export function unitsChargedMicros(model: PricingModel, units: number, rateMicros: number): number {
  return mulDiv(units, rateMicros, unitsPerPrice(model))
}

const UNITS: { readonly [Model in PricingModel]?: keyof Counts } = {
  cpm: 'impressions',
  vcpm: 'viewableImpressions',
  cpc: 'clicks',
  cpv: 'views',
  cpcv: 'completedViews',
}

/**
 * What counts of a line cost, on every ad server: the billed units at the rate that the order says. Undefined for prices that do not depend on these counts, such as flat
 * rates.
 */
export function chargedMicros(
  { model, rateMicros }: Pick<LinePrice, 'model' | 'rateMicros'>,
  counts: Counts,
): number | undefined {
  const column = UNITS[model]
  return column && unitsChargedMicros(model, counts[column], rateMicros)
}

/**
 * What a day (`YYYY-MM-DD`) of a flat price costs where an ad server reports by day, cut to the micro: what is earned of the day of the publisher's calendar by that name, so that a month has as many days as it has. Reported are
 * days of UTC: the first and the last of a flight have with them the day of the calendar that the flight has before or after it. The days of a flight add up to its price; one on which nothing was shown costs nothing, and of a day
 * that is not over, the part that is.
 */
export function flatDayMicros(
  { price, startsAt, endsAt }: Flight & { readonly price: Pick<LinePrice, 'rateMicros'> },
  day: string,
  { calendar, now }: { readonly calendar: LocalCalendar; readonly now: Date },
): number {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
  const [first, last] = [start, end - 1].map((at) => new Date(at).toISOString().slice(0, 10))
  if (first === undefined || last === undefined || day < first || day > last) return 0
  const { microsAt } = flatEarning({ priceMicros: price.rateMicros, startsAt, endsAt }, calendar)
  const until = (at: number) => microsAt(Math.min(at, now.getTime()))
  const before = day === first ? 0 : until(calendar.startOf(day).getTime())
  return until(day === last ? end : calendar.startOf(nextDay(day)).getTime()) - before
}

/**
 * What a day `YYYY-MM-DD` that an ad server reports costs of a price by the day, in micros: the price for the day of the calendar by that name, so that a month has as many days as it has, and the days of
 * a flight, those that it has in part included, add up to its price. Reported are days of UTC: the first and the last of a flight have with them the day of the calendar that the flight has before or after
 * it. Of a day that is not over, the part that is.
 */
export function dayPriceMicros(
  { dayRateMicros, flight }: { readonly dayRateMicros: number; readonly flight: Flight },
  day: string,
  { calendar, now }: { readonly calendar: LocalCalendar; readonly now: Date },
): number {
  const [start, end] = [Date.parse(flight.startsAt), Date.parse(flight.endsAt)]
  const [firstReported, lastReported] = [start, end - 1].map((at) => new Date(at).toISOString().slice(0, 10))
  if (firstReported === undefined || lastReported === undefined || day < firstReported || day > lastReported) return 0
  const [first, last] = [calendar.dayOf(new Date(start)), calendar.dayOf(new Date(end - 1))]
  const days = [
    ...(day === firstReported && first < day ? [first] : []),
    day,
    ...(day === lastReported && last > day ? [last] : []),
  ]
  return days.reduce((sum, each) => {
    const from = Math.max(start, calendar.startOf(each).getTime())
    const length = Math.min(end, calendar.startOf(nextDay(each)).getTime()) - from
    if (length <= 0) return sum
    return sum + mulDiv(dayRateMicros, Math.min(Math.max(now.getTime() - from, 0), length), length)
  }, 0)
}
