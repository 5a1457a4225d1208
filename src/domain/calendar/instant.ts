import { AdcpError } from '../../protocol/errors.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Whether a value is a day of the calendar, `YYYY-MM-DD`: the 30th of February is none. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  return new Date(Date.parse(value) || 0).toISOString().startsWith(value)
}

/** The start of the hour of a moment, both ISO 8601 UTC: `2026-03-01T12:34:56.789Z` → `2026-03-01T12:00:00.000Z`. */
export function hourOf(moment: string): string {
  return `${moment.slice(0, 13)}:00:00.000Z`
}

/** From here on a day has no next one that is written `YYYY-MM-DD`, in one time zone or another: no flight ends later. */
export const LAST_END = Date.parse('9999-12-30T00:00:00Z')

/** Whether a moment (milliseconds) is one to plan with. */
export function isPlannable(instant: number): boolean {
  return Math.abs(instant) <= LAST_END
}

/** Milliseconds of an RFC 3339 timestamp. Throws INVALID_REQUEST naming `field` for a moment that does not exist, or is later than a calendar goes. */
export function instantOf(text: string, field: string): number {
  const instant = Date.parse(text)
  if (Number.isNaN(instant)) throw new AdcpError('INVALID_REQUEST', `${field} is not a point in time`, { field })
  if (!isPlannable(instant))
    throw new AdcpError(
      'INVALID_REQUEST',
      `${field} is later than ${new Date(LAST_END).toISOString()}, the last end of a flight`,
      {
        field,
      },
    )
  return instant
}
