import { HOUR_MS } from '../calendar/instant.ts'

/** Lifetimes of a cached file, in milliseconds. Source: AdCP managed networks page, caching. */
export interface FreshnessLimits {
  /** Time between refreshes. */
  readonly refreshMs: number
  /** How long a file is served on while fetching it fails; 0 drops its rows with the first failure. */
  readonly failingMs: number
  /** How long after the last success it is served at all. */
  readonly absoluteMs: number
}

export const FRESHNESS: FreshnessLimits = { refreshMs: 24 * HOUR_MS, failingMs: 24 * HOUR_MS, absoluteMs: 168 * HOUR_MS }

/** Clock skew allowed between two values of `last_updated`. */
const ROLLBACK_TOLERANCE_MS = 60_000
/** A changed `authoritative_location` is adopted when it has stayed the same for this long. */
export const POINTER_SETTLES_MS = 24 * HOUR_MS
const FIRST_RETRY_MS = 5 * 60_000
/** While a copy still counts, that is, may run out within a day. */
const LONGEST_RETRY_MS = 6 * HOUR_MS
/** A domain that gives nothing is asked ever more rarely, down to once a week at daily refresh. */
const LONGEST_ABSENCE = 7
/** A domain that has given nothing for so long is taken off the crawl list. */
export const DROPPED_AFTER_MS = 90 * 24 * HOUR_MS

/** Moment (Unix milliseconds) at which a file's rows go if nothing succeeds before. */
export function expiresAt(
  file: { readonly verifiedAt: number; readonly failingSince: number | undefined },
  limits: FreshnessLimits,
): number {
  const absolute = file.verifiedAt + limits.absoluteMs
  return file.failingSince === undefined ? absolute : Math.min(absolute, file.failingSince + limits.failingMs)
}

/** Whether a fetched file is older than the one already held: then it counts as a failed fetch. */
export function isRollback(heldLastUpdated: number | undefined, fetchedLastUpdated: number | undefined): boolean {
  if (heldLastUpdated === undefined || fetchedLastUpdated === undefined) return false
  return fetchedLastUpdated < heldLastUpdated - ROLLBACK_TOLERANCE_MS
}

/** How the last attempt ended, as far as the schedule cares. */
export const ATTEMPT_RESULTS = ['verified', 'absent', 'failed'] as const
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number]

/**
 * When to try next (Unix milliseconds). `failures` counts attempts without success in a row, this one included;
 * `holds` says whether a copy of the file still counts: then retries stay within hours, otherwise they go back to once a week.
 * `random` in [0, 1) spreads the load by ±10 %; `soonest` is a moment at which the answer changes by itself.
 */
export function nextAttemptAt(
  now: number,
  attempt: {
    result: AttemptResult
    failures: number
    random: number
    holds: boolean
    soonest?: number | undefined
  },
  limits: FreshnessLimits,
): number {
  const jitter = 0.9 + 0.2 * attempt.random
  if (attempt.result === 'verified') {
    const regular = now + limits.refreshMs * jitter
    return Math.round(attempt.soonest === undefined ? regular : Math.min(regular, Math.max(attempt.soonest, now)))
  }
  if (attempt.result === 'absent') {
    return Math.round(now + limits.refreshMs * Math.min(Math.max(attempt.failures, 1), LONGEST_ABSENCE) * jitter)
  }
  const longest = attempt.holds ? Math.min(LONGEST_RETRY_MS, limits.refreshMs) : limits.refreshMs * LONGEST_ABSENCE
  const backoff = Math.min(FIRST_RETRY_MS * 2 ** (attempt.failures - 1), longest)
  return Math.round(now + backoff * jitter)
}

/** Which `authoritative_location` of a publisher is in force, and which other one has been seen since when. */
export interface PointerState {
  readonly adopted: string | undefined
  readonly pending: string | undefined
  readonly pendingSince: number | undefined
}

/**
 * Change control for a publisher's pointer: the first is adopted at once, a different one only when an operator
 * confirms it or when it has stayed unchanged for 24 hours and nothing `objects` to it; until then the old file stays in force.
 */
export function observePointer(
  state: PointerState,
  seen: string,
  now: number,
  word: { readonly confirmed: boolean; readonly objects: boolean },
): PointerState {
  const settled = state.pending === seen && state.pendingSince !== undefined && now - state.pendingSince >= POINTER_SETTLES_MS
  if (state.adopted === undefined || state.adopted === seen || word.confirmed || (settled && !word.objects)) {
    return { adopted: seen, pending: undefined, pendingSince: undefined }
  }
  if (state.pending === seen) return state
  return { adopted: state.adopted, pending: seen, pendingSince: now }
}
