import type { Flight } from '../../domain/calendar/flight.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { dayCountOf, dayRangeOf, dayText } from '../../domain/media-buy/flight.ts'
import type { GamClient, Message } from './client.ts'
import { withoutDayparts } from './dayparts.ts'
import { countOf, dateOf, dayOf, messageOf } from './messages.ts'

/** Longest flight that is forecast, and longest series that is read: some years. */
const MOST_DAYS = 2_000

/**
 * Impressions that the network expects in a flight where a targeting is, less what it expects to be sold there (`runTrafficData`). Days beyond its forecast count as the mean
 * of those it has. Undefined where it has none. Throws what the API answers.
 */
export async function askTraffic(client: GamClient, targeting: Message, flight: Flight): Promise<number | undefined> {
  if (dayCountOf(flight) > MOST_DAYS) return undefined
  const { first, last } = dayRangeOf(flight)
  const requestedDateRange = { startDate: dateOf(dayText(first)), endDate: dateOf(dayText(last)) }
  const body = { ...withoutDayparts({ targeting }), requestedDateRange }
  const answer = await client.post(`${client.network}:runTrafficData`, body, 'repeatable')
  const expected = seriesOf(messageOf(answer, 'forecastedTimeSeries'))
  const sold = seriesOf(messageOf(answer, 'forecastedAssignedTimeSeries'))
  const byDay = new Map([...expected].map(([day, count]) => [day, Math.max(0, count - (sold.get(day) ?? 0))]))
  if (byDay.size === 0) return undefined
  const mean = [...byDay.values()].reduce((sum, value) => sum + value, 0) / byDay.size
  let left = 0
  for (let day = first; day <= last; day += 1) left += byDay.get(dayText(day)) ?? mean
  return Math.floor(left)
}

/** Values of a series by day `YYYY-MM-DD` of the network's time zone. */
function seriesOf(series: Message | undefined): ReadonlyMap<string, number> {
  const first = dayOf(messageOf(messageOf(series, 'timeSeriesDateRange'), 'startDate'))
  const values = Array.isArray(series?.values) ? series.values.slice(0, MOST_DAYS) : []
  if (first === undefined) return new Map()
  const start = Date.parse(`${first}T00:00:00Z`) / DAY_MS
  return new Map(values.map((value, index) => [dayText(start + index), countOf({ value }, 'value')]))
}
