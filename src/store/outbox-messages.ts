import { type AttemptResult, isExhausted, pauseAfter, verdictOf } from '../domain/webhook/retry.ts'
import type { Db } from './database.ts'
import { changeRow, later } from './leases.ts'
import type { Tables } from './tables.ts'

/** Tables of messages that were written with what they tell and are sent later. While a message is leased, `next_attempt_at` is the end of the lease. */
type Outbox = 'notification_outbox' | 'webhook_outbox'

/** What was read of a message that is due. */
export type DueMessage = Pick<Tables[Outbox], 'delivery_id' | 'next_attempt_at' | 'attempts'>

/** A message that this process may send until its lease ends. */
interface HeldMessage {
  readonly deliveryId: string
  readonly lease: string
  /** The present one included. */
  readonly attempts: number
}

export interface SettleOptions {
  readonly now: Date
  /** How long a delivery is tried before it is given up. */
  readonly horizonMs: number
  /** Uniform in [0, 1). */
  readonly chance: number
}

/** How a message is taken for one attempt, which counts at once: what is compared, and what is written. */
export function attemptBegun({ delivery_id, next_attempt_at, attempts }: DueMessage, lease: string, until: string) {
  return {
    seen: { delivery_id, next_attempt_at, attempts, state: 'pending' as const },
    change: { lease, next_attempt_at: until, attempts: attempts + 1 },
  }
}

/** Writes what an attempt came to: delivered, dead, or pending with the time of the next attempt. Undefined: the lease was lost, and what another process writes counts. */
export async function settleMessage(
  tx: Db,
  outbox: Outbox,
  { deliveryId, lease, ...sent }: HeldMessage & { readonly createdAt: string },
  result: AttemptResult,
  options: SettleOptions,
) {
  const columns = columnsAfterAttempt(sent, result, options)
  const isHeld = await changeRow(tx, outbox, { delivery_id: deliveryId, lease }, columns)
  return isHeld ? columns.state : undefined
}

/** Gives a lease back unused, e.g. at shutdown: the attempt does not count. */
export async function returnMessage(tx: Db, outbox: Outbox, { deliveryId, lease, attempts }: HeldMessage, now: Date) {
  const unused = { lease: null, next_attempt_at: now.toISOString(), attempts: attempts - 1 }
  await changeRow(tx, outbox, { delivery_id: deliveryId, lease }, unused)
}

function columnsAfterAttempt(
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
    ...(state === 'pending' ? { next_attempt_at: later(now, pauseMs) } : { settled_at: now.toISOString() }),
  }
}
