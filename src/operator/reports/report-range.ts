import { rangeOf } from '../../domain/media-buy/delivery.ts'
import { DAY_MS } from '../../domain/media-buy/flight.ts'
import { AdcpError } from '../../protocol/errors.ts'

/** UTC days of a report, both included. */
export interface ReportDays {
  readonly first: string
  readonly last: string
}

/** Days that one report covers at most: a year with its leap day. */
const MAX_DAYS = 366

/** The days of a report, default: the last 30 to today. Throws INVALID_REQUEST for what is no day, reversed days and more than 366 of them. */
export function reportDays(first: string | undefined, last: string | undefined, now: Date): ReportDays {
  const range = rangeOf(first, last)
  const end = range.last ?? dayText(now.getTime())
  const days = { first: range.first ?? dayText(Date.parse(end) - 29 * DAY_MS), last: end }
  rangeOf(days.first, days.last)
  if (lengthOf(days) > MAX_DAYS)
    throw new AdcpError(
      'INVALID_REQUEST',
      `a report covers at most ${MAX_DAYS} days; ${days.first} to ${days.last} are ${lengthOf(days)}`,
      {
        field: 'start_date',
      },
    )
  return days
}

/** As many days right before. */
export function daysBefore(days: ReportDays): ReportDays {
  const start = Date.parse(days.first)
  return { first: dayText(start - lengthOf(days) * DAY_MS), last: dayText(start - DAY_MS) }
}

/** Number of days. */
export function lengthOf({ first, last }: ReportDays): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS + 1
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
