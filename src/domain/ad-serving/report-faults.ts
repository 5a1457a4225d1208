import { hourOf, isDay } from '../calendar/instant.ts'

/** Days begin up to 14 hours earlier than in UTC, and clocks of ad servers differ. */
const MOST_AHEAD_MS = 14 * 3_600_000

/**
 * What is wrong with a period that an ad server reports and what it counted there, as a sentence that names the member and what is allowed; undefined: nothing. Counts
 * are whole and not negative, a period is a UTC day or hour that has begun.
 */
export function faultOfReported(period: unknown, counts: Readonly<Record<string, unknown>>, now: Date): string | undefined {
  const start = startOf(period)
  if (start === undefined) return `period is ${shown(period)}; it has to be a UTC day YYYY-MM-DD or an hour YYYY-MM-DDTHH`
  if (start > now.getTime() + MOST_AHEAD_MS) return `period ${period} is in the future`
  for (const [name, count] of Object.entries(counts))
    if (!Number.isSafeInteger(count) || Number(count) < 0)
      return `${name} of ${period} is ${shown(count)}; it has to be a whole number from 0, below 2^53`
  return undefined
}

function startOf(period: unknown): number | undefined {
  if (typeof period !== 'string' || !isDay(period.slice(0, DAY_LENGTH))) return undefined
  if (period.length === DAY_LENGTH) return Date.parse(period)
  return /^T(?:[01]\d|2[0-3])$/.test(period.slice(DAY_LENGTH)) ? Date.parse(hourOf(period)) : undefined
}

const DAY_LENGTH = 'YYYY-MM-DD'.length

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : typeof value === 'number' ? String(value) : typeof value
}
