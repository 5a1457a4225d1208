import { localDay } from '../../domain/calendar/local-time.ts'
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
  const end = asked.last === undefined ? localDay(clock(), timeZone) : dayIn(asked.last, 'to')
  const first = asked.first === undefined ? dayText(Date.parse(end) - 29 * DAY_MS) : dayIn(asked.first, 'from')
  const days = { timeZone, first, last: end }
  const refuse = (message: string) => new AdcpError('INVALID_REQUEST', message, { field: 'from' })
  if (first > end) throw refuse(`a report begins before it ends; ${first} is after ${end}`)
  if (lengthOf(days) > MAX_DAYS)
    throw refuse(`a report covers at most ${MAX_DAYS} days; ${first} to ${end} are ${lengthOf(days)}`)
  return days
}

/** The same day; `field` names what it was asked as. Throws INVALID_REQUEST for what is no day. */
export function dayIn(text: string, field: string): string {
  const at = Date.parse(text)
  if (!Number.isNaN(at) && dayText(at) === text) return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is no day of the calendar; write it as YYYY-MM-DD`, { field })
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
