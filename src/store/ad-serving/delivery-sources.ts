import { sql } from 'kysely'
import { hourOf } from '../../domain/calendar/instant.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { type AddedDay, deliveryZone, insertDays, moveTotalsOfOrders } from './delivery-sums.ts'
import type { DeliverySource } from './rows.ts'

/** Reads the delivery of an order from the sums from now on, or no more. Totals follow. */
export async function setDeliverySource(tx: Db, tenantId: string, mediaBuyId: string, source: DeliverySource): Promise<void> {
  const row = await tx
    .selectFrom('media_buys')
    .select('delivery_source')
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .executeTakeFirst()
  if (!row || row.delivery_source === source) return
  await moveTotalsOfOrders(tx, tenantId, [mediaBuyId], -1)
  await tx
    .updateTable('media_buys')
    .set({ delivery_source: source })
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .execute()
  await moveTotalsOfOrders(tx, tenantId, [mediaBuyId], 1)
}

/** As {@link reopenDelivery} for orders that were settled, `limit` at most, after one in the order of their ids. Gives the last of them when there may be more. */
export async function openSettled(tx: Db, tenantId: string, after: string, limit: number): Promise<string | undefined> {
  const orders = await tx
    .selectFrom('media_buys')
    .select('media_buy_id')
    .where('tenant_id', '=', tenantId)
    .where('delivery_source', 'in', ['settled', 'sandbox'])
    .where('media_buy_id', '>', after)
    .orderBy('media_buy_id')
    .limit(limit)
    .execute()
  for (const { media_buy_id: id } of orders) {
    await reopenDelivery(tx, tenantId, id)
    await yieldToEventLoop()
  }
  return orders[limit - 1]?.media_buy_id
}

/** Has the ad server of a settled order asked again, as before it was over: something of the order changed. */
export async function reopenDelivery(tx: Db, tenantId: string, mediaBuyId: string): Promise<void> {
  await setDeliverySource(tx, tenantId, mediaBuyId, 'live')
  await sql`delete from delivery_days where tenant_id = ${tenantId} and package_id in
    (select p.package_id from packages p where p.tenant_id = ${tenantId} and p.media_buy_id = ${mediaBuyId})
    and ${notInLedger}`.execute(tx)
}

const notInLedger = sql<boolean>`not exists (select 1 from delivery_ledger l
  where l.tenant_id = delivery_days.tenant_id and l.package_id = delivery_days.package_id)`

/** An order that is over, with its delivery of packages that no ledger has. */
export interface SettledOrder {
  readonly mediaBuyId: string
  readonly revision: number
  readonly source: DeliverySource
  readonly days: readonly AddedDay[]
}

/** Adds orders that are over to the sums, those that nobody changed meanwhile. Gives their number. */
export async function settleOrders(tx: Db, tenantId: string, orders: readonly SettledOrder[]): Promise<number> {
  const settled: string[] = []
  for (const { mediaBuyId, revision, source, days } of orders) {
    const { numUpdatedRows } = await tx
      .updateTable('media_buys')
      .set({ delivery_source: source })
      .where('tenant_id', '=', tenantId)
      .where('media_buy_id', '=', mediaBuyId)
      .where('revision', '=', revision)
      .where('delivery_source', '=', 'live')
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) continue
    settled.push(mediaBuyId)
    if (source === 'settled') await insertDays(tx, tenantId, days)
  }
  if (settled.length > 0) await moveTotalsOfOrders(tx, tenantId, settled, 1)
  return settled.length
}

/**
 * Gives the day of the publisher on which a period of the ledger begins. A row that an ad server counted by day stays on that day: it cannot be divided.
 */
export function dayOfPeriods(timeZone: string): (period: string) => string {
  if (timeZone === 'UTC') return (period) => period.slice(0, 10)
  const calendar = localCalendar(timeZone)
  const known = new Map<string, string>()
  return (period) => {
    if (period.length === 10) return period
    const day = known.get(period) ?? calendar.dayOf(new Date(hourOf(period)))
    known.set(period, day)
    return day
  }
}

/** The day function of a publisher. */
export async function publisherDays(db: Db, tenantId: string): Promise<(period: string) => string> {
  return dayOfPeriods(await deliveryZone(db, tenantId))
}
