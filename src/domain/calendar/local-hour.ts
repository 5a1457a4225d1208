/** Day of the week, lower case and in English as AdCP enums/day-of-week.json names it, and hour from 0. */
export interface LocalHour {
  readonly day: string
  readonly hour: number
}

const QUARTER_MS = 900_000

/**
 * Day and hour of a moment (milliseconds) in an IANA time zone. Offsets of all zones are whole quarters of an hour, so the last answer is good for
 * the rest of its quarter: formatting costs microseconds, and a decision asks for many lines. Throws RangeError for a zone that does not exist.
 */
export function localHour(timeZone: string): (now: number) => LocalHour {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'long', hour: 'numeric', hourCycle: 'h23' })
  let quarter = Number.NaN
  let answer: LocalHour = { day: '', hour: 0 }
  return (now) => {
    const asked = Math.floor(now / QUARTER_MS)
    if (asked === quarter) return answer
    const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
    answer = { day: (parts.get('weekday') ?? '').toLowerCase(), hour: Number(parts.get('hour')) }
    quarter = asked
    return answer
  }
}
