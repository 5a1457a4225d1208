import { type AttemptResult, isExhausted, pauseAfter, verdictOf } from '../domain/webhook/retry.ts'

export interface SettleOptions {
  readonly now: Date
  /** How long a delivery is tried before it is given up. */
  readonly horizonMs: number
  /** Uniform in [0, 1). */
  readonly chance: number
}

/** What an outbox writes about a message after an attempt: delivered, dead, or pending with the time of the next attempt. */
export function columnsAfterAttempt(
  sent: { readonly attempts: number; readonly createdAt: string },
  result: AttemptResult,
  { now, horizonMs, chance }: SettleOptions,
) {
  const verdict = verdictOf(result)
  const exhausted = isExhausted(sent.attempts, now.getTime() - Date.parse(sent.createdAt), horizonMs)
  const state = verdict === 'retry' ? (exhausted ? ('dead' as const) : ('pending' as const)) : verdict
  const pauseMs = pauseAfter(sent.attempts, chance, result.retryAfterSeconds)
  return {
    state,
    lease: null,
    last_status: result.status ?? null,
    last_error: result.error ?? null,
    ...(state === 'pending'
      ? { next_attempt_at: new Date(now.getTime() + pauseMs).toISOString() }
      : { settled_at: now.toISOString() }),
  }
}
