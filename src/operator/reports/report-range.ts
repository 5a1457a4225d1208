import { localDay } from '../../domain/calendar/local-time.ts'
import { rangeOf } from '../../domain/media-buy/delivery.ts'
import { DAY_MS } from '../../domain/media-buy/flight.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { OperatorContext } from '../operator-context.ts'

/** Days of a report in the time zone of the publisher, both included. */
export interface ReportDays {
  readonly first: string
  readonly last: string
}

/** The same with the time zone that they are days of. */
export interface ZonedDays extends ReportDays {
  readonly timeZone: string
}

/** Days that one report covers at most: a year with its leap day. */
const MAX_DAYS = 366

/**
 * The days of a report of a publisher, default: the last 30 to today, in its time zone. Throws INVALID_REQUEST for what is no day, reversed days and more than
 * 366 of them.
 */
export async function reportDays(
  { store, clock }: OperatorContext,
  asked: { readonly tenantId: string; readonly first?: string | undefined; readonly last?: string | undefined },
): Promise<ZonedDays> {
  const timeZone = await deliveryZone(store.read, asked.tenantId)
  const range = rangeOf(asked.first, asked.last)
  const end = range.last ?? localDay(clock(), timeZone)
  const days = { timeZone, first: range.first ?? dayText(Date.parse(end) - 29 * DAY_MS), last: end }
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
