import { DAY_MS } from '../../domain/calendar/instant.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import type { ActContext } from '../act.ts'
import { day } from '../fields.ts'
import { object, string } from '../shape.ts'

/** Days of a report in the time zone of the publisher, both included. */
export interface ReportDays {
  readonly first: string
  readonly last: string
}

/** The fields of the days of a report, and how the command line calls them. */
export const RANGE = {
  first: day('first day, YYYY-MM-DD (default: 30 days in all)'),
  last: day('last day, YYYY-MM-DD (default: today)'),
}
export const RANGE_FLAGS = { first: 'from', last: 'to' }

/** Members of an answer about some days. */
export const rangeMembers = { first: string, last: string }
export const rangeShape = object(rangeMembers)

/** What a report of some days says that has no rows; names `--sandbox` unless it was asked for. */
export function nothingReported(
  happened: 'delivered' | 'earned',
  { first, last }: ReportDays,
  { sandbox }: { readonly sandbox?: boolean },
): string {
  const days = `nothing was ${happened} from ${first} to ${last}`
  return sandbox ? days : `${days}; --sandbox includes orders of sandbox buyers`
}

/** The same with the time zone that they are days of. */
export interface ZonedDays extends ReportDays {
  readonly timeZone: string
}

/** Days that one report covers at most: a year with its leap day. */
const MAX_DAYS = 366

/**
 * The days of a report of a publisher, default: the last 30 to today, in its time zone. Throws INVALID_REQUEST for reversed days and more than
 * 366 of them.
 */
export async function reportDays(
  { store, clock, tenantId }: ActContext,
  asked: { readonly first?: string | undefined; readonly last?: string | undefined },
): Promise<ZonedDays> {
  const timeZone = await deliveryZone(store.read, tenantId)
  const end = asked.last ?? localDay(clock(), timeZone)
  const first = asked.first ?? dayText(Date.parse(end) - 29 * DAY_MS)
  const days = { timeZone, first, last: end }
  const refuse = (message: string) => new AdcpError('INVALID_REQUEST', message, { field: 'first' })
  if (first > end) throw refuse(`a report begins before it ends; ${first} is after ${end}`)
  if (lengthOf(days) > MAX_DAYS)
    throw refuse(`a report covers at most ${MAX_DAYS} days; ${first} to ${end} are ${lengthOf(days)}`)
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
