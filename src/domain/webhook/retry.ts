/** What an attempt came to. `status` is the receiver's HTTP status, absent when there was no answer. */
export interface AttemptResult {
  readonly status?: number
  /** Private reason, for the operator. */
  readonly error?: string
  /** Seconds that the receiver asked to wait. */
  readonly retryAfterSeconds?: number | undefined
  /** There is no point in trying again: the address itself is refused, or the payload is not valid. */
  readonly hopeless?: boolean
  /** There was no answer in time. */
  readonly timedOut?: boolean
  /** Size of the body that was to be sent; absent when no connection was tried. */
  readonly bytes?: number | undefined
}

export type Verdict = 'delivered' | 'retry' | 'dead'

/** Answers that mean "later", not "never" (RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4). */
const LATER: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * 2xx is delivered. No answer, 5xx and the statuses that ask to come back are tried again. Everything else is the receiver's considered
 * refusal of these bytes, redirects included: a webhook never follows one.
 */
export function verdictOf({ status, hopeless }: AttemptResult): Verdict {
  if (hopeless) return 'dead'
  if (status === undefined || status >= 500 || LATER.has(status)) return 'retry'
  return status >= 200 && status < 300 ? 'delivered' : 'dead'
}

/** First pause after a failure. Half a second rides out a restart of the receiver. */
const FIRST_PAUSE_MS = 500
/** A receiver that comes back after days is noticed within a quarter of an hour. */
const LONGEST_PAUSE_MS = 15 * 60_000
/** A receiver may ask for more patience than that, but not for all of it. */
const LONGEST_REQUESTED_PAUSE_MS = 60 * 60_000
/** Spread of ±25 %, so that what failed together does not come back together. */
const JITTER = 0.25

/** Milliseconds to wait after the `attempts`-th failure. `chance` is uniform in [0, 1). */
export function pauseAfter(attempts: number, chance: number, retryAfterSeconds = 0): number {
  const doubled = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 30))
  const spread = doubled * (1 - JITTER + 2 * JITTER * chance)
  return Math.round(Math.max(spread, Math.min(retryAfterSeconds * 1000, LONGEST_REQUESTED_PAUSE_MS)))
}

/** A server that was itself off for days has not tried enough just because the time is over. */
const LEAST_ATTEMPTS = 10

/** Whether a delivery has been tried for long enough to be given up. Milliseconds. */
export function isExhausted(attempts: number, ageMs: number, horizonMs: number): boolean {
  return attempts >= LEAST_ATTEMPTS && ageMs >= horizonMs
}

/** This many failures in a row, and an endpoint gets one attempt at a time until one succeeds. */
export const BREAKER_THRESHOLD = 5

/** Milliseconds until an endpoint with this many failures in a row is tried again; 0 while its breaker is closed. */
export function breakerPause(failures: number, chance: number): number {
  return failures < BREAKER_THRESHOLD ? 0 : pauseAfter(failures - BREAKER_THRESHOLD + 2, chance)
}
