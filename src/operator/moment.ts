import { endOfLastDay } from '../domain/calendar/flight-days.ts'
import { isDay, isPlannable } from '../domain/calendar/instant.ts'
import type { LocalCalendar } from '../domain/calendar/local-time.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type Field, text } from './fields.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Digits that no number loses: a span of more ends after the calendar. */
const SPAN = /^(\d{1,6})([mhd])$/
/** A time with its zone (RFC 3339), since each machine would read one without in its own. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|(?:\+|-)\d{2}:\d{2}))?$/
const WORDS = 'a point in time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31'

/** A point in time, or a day, which stands for its beginning in UTC. The act gets ISO 8601, UTC. */
export function moment(about: string): Field<string, false> {
  const schema = { type: 'string', format: 'date-time' }
  const asText = text(about)
  return { ...asText, schema, words: WORDS, check: isMoment, clean: (value) => isoOf(value) ?? asText.clean?.(value) }
}

/** An end: a point in time, or a day, which it has whole in the time zone of the publisher. {@link readEnd} reads it. */
export function end(about: string): Field<string, false> {
  const { schema, check } = moment(about)
  const words = 'a point in time such as 2026-01-31T12:00:00Z, or a last day such as 2026-01-31'
  return { ...text(about), schema: { ...schema, format: undefined, pattern: TIME.source }, words, check }
}

/** The moment that a checked {@link end} is, ISO 8601, UTC. */
export function readEnd(text: string, calendar: LocalCalendar): string {
  return (isDay(text) ? endOfLastDay(text, calendar) : new Date(text)).toISOString()
}

/** A point in time as {@link moment} takes it, or a span from now, such as `90d`. {@link readMoment} reads it. */
export function momentOrSpan(about: string): Field<string, false> {
  const check = (value: unknown): value is string => isMoment(value) || (typeof value === 'string' && SPAN.test(value))
  const schema = { type: 'string', pattern: `${SPAN.source}|^\\d{4}-\\d{2}-\\d{2}` }
  return { ...moment(about), schema, words: `${WORDS}, or a span from now such as 30m, 12h or 90d`, check }
}

/** Until when a key counts: an {@link end}, or a span from now. {@link readExpiry} reads it. */
export function endOrSpan(about: string): Field<string, false> {
  const { schema, check, words } = momentOrSpan(about)
  return { ...text(about), schema, words: words.replace('a day', 'a last day'), check }
}

/** The moment that a checked {@link endOrSpan} is. Throws INVALID_REQUEST where the key would never count. */
export function readExpiry(text: string, now: Date, calendar: LocalCalendar): Date {
  const at = isDay(text) ? new Date(readEnd(text, calendar)) : momentOf(text, now)
  if (at > now) return at
  const when = at < now ? 'in the past' : 'now: the key would never count'
  throw new AdcpError('INVALID_REQUEST', `expires "${text}" is ${when}`, { field: 'expires' })
}

/** The moment that a checked {@link momentOrSpan} is. Throws INVALID_REQUEST, naming `field`, for the past. */
export function readMoment(text: string, now: Date, field: string): Date {
  const at = momentOf(text, now)
  if (at < now) throw new AdcpError('INVALID_REQUEST', `${field} "${text}" is in the past`, { field })
  return at
}

function momentOf(text: string, now: Date): Date {
  const [, length, unit = ''] = SPAN.exec(text) ?? []
  return length === undefined ? new Date(text) : new Date(now.getTime() + Number(length) * (UNITS[unit] ?? 0))
}

function isMoment(value: unknown): value is string {
  return isoOf(value) !== undefined
}

function isoOf(value: unknown): string | undefined {
  const given = typeof value === 'string' ? value.trim() : ''
  if (!TIME.test(given) || !isDay(given.slice(0, 10))) return undefined
  const time = new Date(given)
  return isPlannable(time.getTime()) ? time.toISOString() : undefined
}
