import { sql } from 'kysely'
import type { Db } from '../database.ts'

/*
 * Of the pending deliveries of an ordering key one may be sent, the first; all others are held until it is settled. The column `held` says so, and an index holds
 * those that are not: whoever looks for what is due reads none of the thousands that wait behind one.
 */

/** The pending delivery of an ordering key that goes out before all others of it. */
export async function firstPending(tx: Db, orderingKey: string): Promise<string | undefined> {
  const row = await pendingOf(tx, orderingKey).orderBy('position').limit(1).executeTakeFirst()
  return row?.delivery_id
}

/** After the first delivery of an ordering key came to its end: lets the next one go out. */
export async function releaseNext(tx: Db, orderingKey: string): Promise<void> {
  const next = await firstPending(tx, orderingKey)
  if (next === undefined) return
  await tx.updateTable('webhook_outbox').set({ held: 0 }).where('delivery_id', '=', next).where('held', '=', 1).execute()
}

/** After a delivery of an ordering key became pending again, which may be the first: holds all that come after the first. */
export async function holdOthers(tx: Db, orderingKey: string): Promise<void> {
  const first = await firstPending(tx, orderingKey)
  if (first === undefined) return
  await tx
    .updateTable('webhook_outbox')
    .set({ held: 1 })
    .where('delivery_id', 'in', pendingOf(tx, orderingKey).where('held', '=', 0))
    .where('delivery_id', '!=', first)
    .execute()
  await tx.updateTable('webhook_outbox').set({ held: 0 }).where('delivery_id', '=', first).execute()
}

/** The literal lets the database look in the index of pending ones. */
function pendingOf(tx: Db, orderingKey: string) {
  return tx
    .selectFrom('webhook_outbox')
    .select('delivery_id')
    .where('ordering_key', '=', orderingKey)
    .where('state', '=', sql.lit('pending'))
}
