import { hash } from 'node:crypto'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { agentKey } from './agent-url.ts'
import { publisherDomain } from './publisher-domain.ts'

/** Page size of the directory (AdCP publisher directory page). */
export const DEFAULT_LIMIT = 200
export const MAX_LIMIT = 1000
/**
 * A cursor is good for at least one refresh cycle (AdCP publisher directory page). The longest cycle is a day plus the 10 % by which
 * the schedule spreads refreshes: 26.4 hours.
 */
export const CURSOR_LIFETIME_MS = 27 * 3_600_000
/**
 * Cursors carry their time of issue in steps of ten minutes, rounded up: the same page is then the same bytes for a
 * while, so that its ETag can hold.
 */
export const CURSOR_STEP_MS = 600_000

export const ROW_STATUSES = ['authorized', 'revoked'] as const
export type RowStatus = (typeof ROW_STATUSES)[number]

/** Why a lookup is refused; the `code` of the error body, stable. */
export type LookupRefusal =
  | 'invalid_agent_url'
  | 'invalid_since'
  | 'invalid_status'
  | 'invalid_cursor'
  | 'cursor_expired'
  | 'invalid_limit'
  | 'invalid_include'

/** The lookup's arguments as they came: lists for repeated keys. */
export interface LookupArguments {
  readonly agentUrl: string
  /** Its canonical key, when that is known already. */
  readonly agent?: string | undefined
  readonly since?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly cursor?: string | undefined
  readonly limit?: string | number | undefined
  readonly include?: readonly string[] | undefined
}

/** A checked lookup. */
export interface LookupQuery {
  /** Canonical key, echoed as `agent_url`. */
  readonly agent: string
  /** ISO 8601 UTC; rows verified at or after it. */
  readonly since: string | undefined
  /** Sorted, without repetition, never empty. */
  readonly statuses: readonly RowStatus[]
  readonly limit: number
  readonly withPropertyIds: boolean
  readonly withFileForm: boolean
  /** Rows strictly after this domain. */
  readonly after: string | undefined
}

/**
 * Checks a lookup's arguments in the order of the directory page. Throws AdcpError INVALID_REQUEST whose
 * `details.reason` is a {@link LookupRefusal}. Source: AdCP publisher directory page.
 */
export function parseLookup(raw: LookupArguments, now: Date): LookupQuery {
  const agent = raw.agent ?? agentKey(raw.agentUrl)
  if (agent === undefined) throw refusal('invalid_agent_url', 'agent_url', 'agent_url must be an absolute http(s) URL')
  const since = parseSince(raw.since)
  const statuses = parseList(raw.status, 'status', ROW_STATUSES, 'invalid_status') ?? ['authorized']
  const position = raw.cursor === undefined ? undefined : readCursor(raw.cursor, now)
  const limit = parseLimit(raw.limit)
  const include = parseList(raw.include, 'include', INCLUDES, 'invalid_include') ?? []
  const [withPropertyIds, withFileForm] = [include.includes('properties'), include.includes('file_form')]
  const query = { agent, since, statuses, limit, withPropertyIds, withFileForm, after: position?.after }
  if (position && position.fingerprint !== fingerprintOf(query)) {
    throw refusal('invalid_cursor', 'cursor', 'the cursor belongs to another query: keep since, status and include as they were')
  }
  return query
}

const INCLUDES = ['properties', 'file_form'] as const

/** The step of ten minutes that a moment lies in; its end is the time of issue of cursors given out then. */
export function cursorStep(now: Date): number {
  return Math.ceil(now.getTime() / CURSOR_STEP_MS)
}

/** The opaque cursor of the page that follows `after`. */
export function nextCursor(query: LookupQuery, after: string, now: Date): string {
  const issued = cursorStep(now) * CURSOR_STEP_MS
  return cursorText(issued, fingerprintOf(query), after)
}

function cursorText(issued: number, fingerprint: string, after: string): string {
  return Buffer.from(JSON.stringify([issued, fingerprint, after])).toString('base64url')
}

function readCursor(cursor: string, now: Date): { after: string; fingerprint: string } {
  const invalid = () => refusal('invalid_cursor', 'cursor', 'the cursor was not issued by this directory')
  if (!/^[A-Za-z0-9_-]{1,600}$/.test(cursor)) throw invalid()
  const [issued, fingerprint, after] = decodeJsonList(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (typeof issued !== 'number' || !Number.isSafeInteger(issued)) throw invalid()
  if (typeof fingerprint !== 'string' || typeof after !== 'string' || publisherDomain(after) !== after) throw invalid()
  // Base64 and JSON read many texts as the same value; only the one that was given out is taken.
  if (cursor !== cursorText(issued, fingerprint, after)) throw invalid()
  const age = now.getTime() - issued
  if (age < -CURSOR_STEP_MS) throw invalid()
  if (age > CURSOR_LIFETIME_MS)
    throw refusal('cursor_expired', 'cursor', 'cursor_expired: the cursor is older than 27 hours; start again without it')
  return { after, fingerprint }
}

function decodeJsonList(text: string): readonly unknown[] {
  const decoded = foreignJsonIn(text)
  return Array.isArray(decoded) && decoded.length === 3 ? decoded : []
}

function fingerprintOf(query: Pick<LookupQuery, 'agent' | 'since' | 'statuses' | 'withPropertyIds' | 'withFileForm'>): string {
  const { agent, since = null, statuses, withPropertyIds, withFileForm } = query
  const fixed = JSON.stringify([agent, since, statuses, withPropertyIds, ...(withFileForm ? ['file_form'] : [])])
  return hash('sha256', fixed, 'base64url').slice(0, 12)
}

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

function parseSince(since: string | undefined): string | undefined {
  if (since === undefined) return undefined
  const invalid = () => refusal('invalid_since', 'since', 'since must be an ISO 8601 timestamp')
  if (!ISO_8601.test(since) || !isCalendarDay(since.slice(0, 10))) throw invalid()
  // A time without an offset would be read in the zone of this machine.
  const time = Date.parse(!since.includes('T') || /(?:Z|[+-]\d{2}:?\d{2})$/.test(since) ? since : `${since}Z`)
  if (Number.isNaN(time)) throw invalid()
  return new Date(time).toISOString()
}

/** `Date.parse` reads the 30th of February as a day in March. */
function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

function parseLimit(limit: string | number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT
  const value = typeof limit === 'string' && /^\d{1,6}$/.test(limit) ? Number(limit) : limit
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MAX_LIMIT) {
    throw refusal('invalid_limit', 'limit', `limit must be an integer from 1 to ${MAX_LIMIT}`)
  }
  return value
}

function parseList<T extends string>(
  values: readonly string[] | undefined,
  field: 'status' | 'include',
  known: readonly T[],
  reason: LookupRefusal,
): readonly T[] | undefined {
  if (values === undefined) return undefined
  if (values.some((value) => value.includes(','))) {
    throw refusal(reason, field, `${field} takes one value: repeat the key once for each, as in ${field}=a&${field}=b`)
  }
  const chosen = known.filter((value) => values.includes(value))
  if (values.length === 0 || values.some((value) => !known.some((name) => name === value))) {
    throw refusal(reason, field, `unknown ${field} value: ${field} takes ${known.join(' or ')}`)
  }
  return chosen
}

function refusal(reason: LookupRefusal, field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field, details: { reason } })
}
