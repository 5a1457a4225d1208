import { type SelectQueryBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../domain/delivery-state.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { type AttemptResult, BREAKER_THRESHOLD, breakerPause, verdictOf } from '../../domain/webhook/retry.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { later } from '../leases.ts'
import { returnMessage, type SettleOptions, settleMessage } from '../outbox-messages.ts'
import type { Tables } from '../tables.ts'
import type { LeasedDelivery } from './outbox-leases.ts'
import { releaseNext } from './outbox-order.ts'

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
  if (state !== 'pending') await releaseNext(tx, delivery.orderingKey)
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

/** Deliveries that one statement changes: some milliseconds. */
const AT_ONCE = 500

/** The endpoint answered: what waited for it waits no longer. Of thousands that were tried before, the others wait for the end of their pause. */
async function closeBreaker(tx: Db, endpointKey: string, now: Date): Promise<void> {
  const closed = await tx
    .deleteFrom('webhook_breakers')
    .where('endpoint_key', '=', endpointKey)
    .returning('failures')
    .executeTakeFirst()
  if (!closed || closed.failures < BREAKER_THRESHOLD) return
  const paused = tx
    .selectFrom('webhook_outbox')
    .select('delivery_id')
    .where('state', '=', sql.lit('pending'))
    .where('held', '=', sql.lit(0))
    .where('endpoint_key', '=', endpointKey)
    .where('next_attempt_at', '>', now.toISOString())
    .where('lease', 'is', null)
    .orderBy('next_attempt_at')
    .limit(AT_ONCE)
  await tx.updateTable('webhook_outbox').set({ next_attempt_at: now.toISOString() }).where('delivery_id', 'in', paused).execute()
}

/** Gives up what has been waiting for an unreachable endpoint for longer than the horizon, some at a time. Returns how many; 0: nothing is left. */
export async function giveUpStale(tx: Db, now: Date, horizonMs: number): Promise<number> {
  const stale = tx
    .selectFrom('webhook_breakers as b')
    // SQLite takes the tables of a cross join in this order: otherwise it reads all that wait.
    .crossJoin('webhook_outbox as o')
    .select('o.delivery_id')
    .whereRef('o.endpoint_key', '=', 'b.endpoint_key')
    .where('b.open_until', '>', now.toISOString())
    .where('o.state', '=', sql.lit('pending'))
    .where('o.created_at', '<=', later(now, -horizonMs))
    .where('o.lease', 'is', null)
    .limit(AT_ONCE)
  return giveUp(tx, stale, now, 'endpoint unreachable for the whole retry horizon')
}

/** Deliveries that wait for one buyer at most: days of a large buyer whose receiver is down. */
export const WAITING_OF_A_BUYER = 50_000
/** How many more are counted: some milliseconds. */
const MOST_OVER = 10_000

/** A buyer for whom more wait than {@link WAITING_OF_A_BUYER}, or than `most`, and by how many, {@link MOST_OVER} at most; undefined: there is none. One statement counts those of one buyer. */
export async function findOverdrawn(
  db: Db,
  most = WAITING_OF_A_BUYER,
): Promise<(PrincipalRef & { readonly over: number }) | undefined> {
  for (let buyer = await nextWaiting(db, { tenantId: '', principalId: '' }); buyer; buyer = await nextWaiting(db, buyer)) {
    const over = (await countWaiting(db, buyer, most + MOST_OVER)) - most
    if (over > 0) return { ...buyer, over }
    await giveWay()
  }
  return undefined
}

/** The first buyer after another, in the order of an index, for whom deliveries wait. */
async function nextWaiting(db: Db, { tenantId, principalId }: PrincipalRef): Promise<PrincipalRef | undefined> {
  const row = await db
    .selectFrom('webhook_outbox')
    .select(['tenant_id', 'principal_id'])
    .where('state', '=', sql.lit('pending'))
    .where(sql<boolean>`(tenant_id, principal_id) > (${tenantId}, ${principalId})`)
    .orderBy('tenant_id')
    .orderBy('principal_id')
    .limit(1)
    .executeTakeFirst()
  return row && { tenantId: row.tenant_id, principalId: row.principal_id }
}

/** How many wait for a buyer, up to `most`. */
async function countWaiting(db: Db, { tenantId, principalId }: PrincipalRef, most: number): Promise<number> {
  const waiting = db
    .selectFrom('webhook_outbox')
    .select('created_at')
    .where('state', '=', sql.lit('pending'))
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .limit(most)
  const { count } = await db
    .selectFrom(waiting.as('waiting'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Gives up the oldest deliveries that wait for a buyer, `limit` and some hundred at most. Returns how many. */
export async function giveUpOldest(tx: Db, { tenantId, principalId }: PrincipalRef, limit: number, now: Date): Promise<number> {
  const oldest = tx
    .selectFrom('webhook_outbox')
    .select('delivery_id')
    .where('state', '=', sql.lit('pending'))
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('lease', 'is', null)
    .orderBy('created_at')
    .limit(Math.min(limit, AT_ONCE))
  return giveUp(tx, oldest, now, 'too many webhooks waited for this buyer, and this one for longest')
}

/** Gives up those that a query finds, and lets those go out that they held. */
async function giveUp(tx: Db, query: SelectQueryBuilder<Tables, never, { delivery_id: string }>, now: Date, reason: string) {
  const found = await query.execute()
  if (found.length === 0) return 0
  const ended = await tx
    .updateTable('webhook_outbox')
    .set({ state: 'dead', held: 0, settled_at: now.toISOString(), last_error: reason })
    .where(
      'delivery_id',
      'in',
      found.map((row) => row.delivery_id),
    )
    .returning('ordering_key')
    .execute()
  for (const key of new Set(ended.map((row) => row.ordering_key))) await releaseNext(tx, key)
  return ended.length
}
