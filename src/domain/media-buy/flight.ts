import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { DAY_MS, instantOf } from '../calendar/instant.ts'

/** A start this little in the past is the way of the request through the network, not a past start. */
const START_GRACE_MS = 60_000

/**
 * The flight of a new media buy, of any length. `asap` starts now. Throws INVALID_REQUEST naming the field for a past start, and for an end that
 * is not after the start.
 */
export function flightOf(startTime: string, endTime: string, now: Date): Flight {
  const start = startTime === 'asap' ? now.getTime() : instantOf(startTime, 'start_time')
  const end = instantOf(endTime, 'end_time')
  requireOrder(start, end, 'end_time')
  if (start < now.getTime() - START_GRACE_MS) {
    const message = `start_time ${new Date(start).toISOString()} is in the past: it is ${now.toISOString()}; send "asap" or a later time`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'start_time', suggestion: "use 'asap' or a later time" })
  }
  return flight(Math.max(start, now.getTime()), end, 'end_time')
}

/**
 * The flight of a package inside that of its media buy: each bound is inherited when absent. Throws INVALID_REQUEST naming
 * `<path>.start_time` or `<path>.end_time` when it is reversed or sticks out.
 */
export function packageFlight(outer: Flight, startTime: string | undefined, endTime: string | undefined, path: string): Flight {
  const [first, last] = [Date.parse(outer.startsAt), Date.parse(outer.endsAt)]
  const start = startTime === undefined ? first : instantOf(startTime, `${path}.start_time`)
  const end = endTime === undefined ? last : instantOf(endTime, `${path}.end_time`)
  requireOrder(start, end, `${path}.end_time`)
  if (start < first - START_GRACE_MS || start >= last) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `${path}.start_time is outside the flight of the media buy, ${outer.startsAt} to ${outer.endsAt}`,
      {
        field: `${path}.start_time`,
      },
    )
  }
  if (end > last) {
    throw new AdcpError(
      'INVALID_REQUEST',
      `${path}.end_time is outside the flight of the media buy, ${outer.startsAt} to ${outer.endsAt}`,
      {
        field: `${path}.end_time`,
      },
    )
  }
  return flight(Math.max(start, first), end, `${path}.end_time`)
}

/** A checked flight from milliseconds; `field` names the end in errors. */
export function flight(start: number, end: number, field: string): Flight {
  requireOrder(start, end, field)
  return { startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() }
}

function requireOrder(start: number, end: number, field: string): void {
  if (end > start) return
  const times = `it is ${new Date(end).toISOString()}, the start ${new Date(start).toISOString()}`
  throw new AdcpError('INVALID_REQUEST', `${field} must be after the start: ${times}`, { field })
}

/** First and last UTC day that a flight touches, in days since 1970. */
export function dayRangeOf({ startsAt, endsAt }: Flight): { readonly first: number; readonly last: number } {
  return { first: Math.floor(Date.parse(startsAt) / DAY_MS), last: Math.ceil(Date.parse(endsAt) / DAY_MS) - 1 }
}

/** Number of UTC days that a flight touches. */
export function dayCountOf(flight: Flight): number {
  const { first, last } = dayRangeOf(flight)
  return last - first + 1
}

/** A day since 1970 as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** {@link dayText} that makes each text once, for many flights over the same days. */
export function rememberedDayText(): (day: number) => string {
  const texts = new Map<number, string>()
  return (day) => {
    const known = texts.get(day)
    if (known !== undefined) return known
    const text = dayText(day)
    texts.set(day, text)
    return text
  }
}

/** Length of a flight in ms. */
export function durationMs({ startsAt, endsAt }: Flight): number {
  return Date.parse(endsAt) - Date.parse(startsAt)
}
