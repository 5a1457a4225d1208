import { endOfLastDay } from './flight-days.ts'
import { DAY_MS, isPlannable } from './instant.ts'
import type { LocalCalendar } from './local-time.ts'

/** How far the days of a calendar have gone, for moments (milliseconds) that are asked for in about their order. */
export interface PassedDays {
  /**
   * Milliseconds on the calendar, in which every day has 24 hours: a day of 23 or 25 hours passes faster or slower. Their differences say how many days lie between two
   * moments, parts of days included.
   */
  msAt(at: number): number
  /** The moment at which the day of a moment ends. */
  endOfDay(at: number): number
}

/** The days of a calendar as they pass. */
export function passedDays(calendar: LocalCalendar): PassedDays {
  let [day, from, until] = [Number.NaN, Number.NaN, Number.NaN]
  const lookUp = (at: number) => {
    if (at >= from && at < until) return
    const name = calendar.dayOf(new Date(at))
    day = Date.parse(`${name}T00:00:00.000Z`)
    from = calendar.startOf(name).getTime()
    until = isPlannable(at + DAY_MS) ? endOfLastDay(name, calendar).getTime() : from + DAY_MS
  }
  return {
    msAt(at) {
      lookUp(at)
      return day + Math.round(((at - from) * DAY_MS) / (until - from))
    },
    endOfDay(at) {
      lookUp(at)
      return until
    },
  }
}
