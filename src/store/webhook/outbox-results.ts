import type { DeliveryState } from '../../domain/delivery-state.ts'
import { type AttemptResult, BREAKER_THRESHOLD, breakerPause, verdictOf } from '../../domain/webhook/retry.ts'
import type { Db } from '../database.ts'
import { later } from '../leases.ts'
import { returnMessage, type SettleOptions, settleMessage } from '../outbox-messages.ts'
import type { LeasedDelivery } from './outbox-leases.ts'

/**
 * Writes what an attempt came to: delivered, dead, or when to try again; and what it says about its endpoint. Undefined when the lease was
 * lost meanwhile: another process has taken the delivery over, and its result counts.
 */
export async function settle(
  tx: Db,
  delivery: LeasedDelivery,
  result: AttemptResult,
  options: SettleOptions,
): Promise<DeliveryState | undefined> {
  const { now, chance } = options
  const message = { ...delivery, attempts: delivery.attempt }
  const state = await settleMessage(tx, 'webhook_outbox', message, result, options)
  if (state === undefined) return undefined
  if (verdictOf(result) === 'retry') await countFailure(tx, delivery.endpointKey, now, chance)
  else if (result.status !== undefined) await closeBreaker(tx, delivery.endpointKey, now)
  return state
}

/** Gives a lease back unused, e.g. at shutdown: the attempt does not count. */
export async function giveBack(tx: Db, delivery: LeasedDelivery, now: Date): Promise<void> {
  await returnMessage(tx, 'webhook_outbox', { ...delivery, attempts: delivery.attempt }, now)
}

async function countFailure(tx: Db, endpointKey: string, now: Date, chance: number): Promise<void> {
  const { failures } = await tx
    .insertInto('webhook_breakers')
    .values({ endpoint_key: endpointKey, failures: 1, open_until: '' })
    .onConflict((c) => c.column('endpoint_key').doUpdateSet((e) => ({ failures: e('webhook_breakers.failures', '+', 1) })))
    .returning('failures')
    .executeTakeFirstOrThrow()
  const pauseMs = breakerPause(failures, chance)
  if (pauseMs === 0) return
  await tx
    .updateTable('webhook_breakers')
    .set({ open_until: later(now, pauseMs) })
    .where('endpoint_key', '=', endpointKey)
    .execute()
}

/** The endpoint answered: what waited for it waits no longer. */
async function closeBreaker(tx: Db, endpointKey: string, now: Date): Promise<void> {
  const closed = await tx
    .deleteFrom('webhook_breakers')
    .where('endpoint_key', '=', endpointKey)
    .returning('failures')
    .executeTakeFirst()
  if (!closed || closed.failures < BREAKER_THRESHOLD) return
  await tx
    .updateTable('webhook_outbox')
    .set({ next_attempt_at: now.toISOString() })
    .where('endpoint_key', '=', endpointKey)
    .where('state', '=', 'pending')
    .where('lease', 'is', null)
    .where('next_attempt_at', '>', now.toISOString())
    .execute()
}

/** Gives up what has been waiting for an unreachable endpoint for longer than the horizon. Returns how many. */
export async function giveUpStale(tx: Db, now: Date, horizonMs: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook_outbox')
    .set({ state: 'dead', settled_at: now.toISOString(), last_error: 'endpoint unreachable for the whole retry horizon' })
    .where('state', '=', 'pending')
    .where('lease', 'is', null)
    .where('created_at', '<=', later(now, -horizonMs))
    .where('endpoint_key', 'in', (e) =>
      e.selectFrom('webhook_breakers').select('endpoint_key').where('open_until', '>', now.toISOString()),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
