import { DAY_MS, HOUR_MS } from './instant.ts'
/** Whether a text names a time zone of the IANA database that this runtime knows. Offsets such as `+02:00` name none. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/** The calendar of a time zone. Making one costs more than asking it. */
export interface LocalCalendar {
  /** The day `YYYY-MM-DD` at a moment. */
  dayOf(at: Date): string
  /** The first moment of a day `YYYY-MM-DD`. Throws RangeError for what is no day. */
  startOf(day: string): Date
  /** The time of day `HH:MM` at a moment. */
  timeOf(at: Date): string
}

const UTC: LocalCalendar = {
  dayOf: (at) => at.toISOString().slice(0, 10),
  startOf: (day) => new Date(midnightOf(day)),
  timeOf: (at) => at.toISOString().slice(11, 16),
}

/** The calendar of a time zone of the IANA database. Throws RangeError for what is none. */
export function localCalendar(timeZone: string): LocalCalendar {
  if (timeZone === 'UTC') return UTC
  const clock = wallClock(timeZone)
  const starts = new Map<string, Date>()
  return {
    dayOf: (at) => clock(at.getTime()).slice(0, 10),
    startOf(day) {
      const start = starts.get(day) ?? startOf(day, clock)
      starts.set(day, start)
      return start
    },
    timeOf: (at) => clock(at.getTime()).slice(11, 16),
  }
}

/** The day `YYYY-MM-DD` at a moment in a time zone. */
export function localDay(at: Date, timeZone: string): string {
  return localCalendar(timeZone).dayOf(at)
}

/** The month `YYYY-MM` at a moment in a time zone. */
export function localMonth(at: Date, timeZone: string): string {
  return localDay(at, timeZone).slice(0, 7)
}

/** The first moment of a day `YYYY-MM-DD` in a time zone. Throws RangeError for what is no day. */
export function startOfLocalDay(day: string, timeZone: string): Date {
  return localCalendar(timeZone).startOf(day)
}

/** The moment of a day `YYYY-MM-DD` at which it is `hour` o'clock in a time zone; the next full hour where the clocks skip that one. */
export function atLocalHour(day: string, hour: number, timeZone: string): Date {
  const clock = wallClock(timeZone)
  const about = startOfLocalDay(day, timeZone).getTime() + hour * HOUR_MS
  const wanted = `${day}T${String(hour).padStart(2, '0')}:00:00`
  // A day on which the clocks change is an hour longer or shorter.
  const exact = [0, -HOUR_MS, HOUR_MS].map((shift) => about + shift).find((at) => clock(at) === wanted)
  return new Date(exact ?? about)
}

/** The day after a day `YYYY-MM-DD`. */
export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS).toISOString().slice(0, 10)
}

function midnightOf(day: string): number {
  const midnight = Date.parse(`${day}T00:00:00.000Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(midnight)) return midnight
  throw new RangeError(`"${day}" is no day, YYYY-MM-DD`)
}

function startOf(day: string, clock: WallClock): Date {
  const midnight = midnightOf(day)
  // The offset may change between UTC midnight and local midnight, so candidates of both sides are tried.
  const offsets = [midnight - DAY_MS, midnight, midnight + DAY_MS].map((at) => offsetMs(at, clock))
  const candidates = offsets.map((offset) => midnight - offset).sort((a, b) => a - b)
  const start = candidates.find((at) => clock(at) === `${day}T00:00:00`)
  if (start !== undefined) return new Date(start)
  // A day that begins with a skipped hour (clocks go forward at midnight) starts with the change.
  return new Date(firstMomentOf(day, clock, Math.min(...candidates) - DAY_MS / 2, Math.max(...candidates) + DAY_MS / 2))
}

/** Bisects for the first moment whose local day is `day` or later. */
function firstMomentOf(day: string, clock: WallClock, from: number, to: number): number {
  let before = from
  let reached = to
  while (reached - before > 1) {
    const middle = Math.floor((before + reached) / 2)
    if (clock(middle).slice(0, 10) >= day) reached = middle
    else before = middle
  }
  return reached
}

/** Gives `YYYY-MM-DDTHH:MM:SS` for milliseconds since 1970. */
type WallClock = (at: number) => string

function offsetMs(at: number, clock: WallClock): number {
  return Date.parse(`${clock(at)}.000Z`) - at
}

/** The clock of a time zone. Making one costs more than reading it. */
function wallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const date = [parts.get('year')?.padStart(4, '0'), parts.get('month'), parts.get('day')].join('-')
    return `${date}T${[parts.get('hour'), parts.get('minute'), parts.get('second')].join(':')}`
  }
}
