import { DAY_MS, HOUR_MS } from '../calendar/instant.ts'
import { localCalendar, nextDay } from '../calendar/local-time.ts'
import type { ReportForm } from './form.ts'

/** A period, from one boundary to the next. */
export interface Period {
  readonly start: string
  readonly end: string
}

/** How time is cut into periods of reports (AdCP 3.2, core/reporting-schedule.json, `period_generation`). */
export interface PeriodCalendar {
  /** The boundary at or after a moment. */
  boundaryFrom(at: Date): Date
  /** The boundary at or before a moment. */
  boundaryUntil(at: Date): Date
  /** The boundary after a boundary. */
  next(boundary: Date): Date
}

/** Hours of UTC, or days of a time zone: a day on which clocks change has 23 or 25 hours. */
export function periodCalendar({ period }: Pick<ReportForm, 'period'>, timeZone: string): PeriodCalendar {
  if (period === 'PT1H') return evenPeriods(HOUR_MS)
  if (timeZone === 'UTC') return evenPeriods(DAY_MS)
  const { dayOf, startOf } = localCalendar(timeZone)
  const next = (boundary: Date) => startOf(nextDay(dayOf(boundary)))
  const boundaryUntil = (at: Date) => startOf(dayOf(at))
  return {
    boundaryUntil,
    boundaryFrom(at) {
      const start = boundaryUntil(at)
      return start < at ? next(start) : start
    },
    next,
  }
}

function evenPeriods(lengthMs: number): PeriodCalendar {
  return {
    boundaryFrom: (at) => new Date(Math.ceil(at.getTime() / lengthMs) * lengthMs),
    boundaryUntil: (at) => new Date(Math.floor(at.getTime() / lengthMs) * lengthMs),
    next: (boundary) => new Date(boundary.getTime() + lengthMs),
  }
}
