import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Whether something of an order that people entered or adopted cost money: delivery, a line of an invoice, or a charge that stands. */
export async function wasCharged(db: Db, tenantId: string, orderId: string): Promise<boolean> {
  const one = sql<number>`1`.as('one')
  const delivered = db
    .selectFrom('order_lines as l')
    .innerJoin('delivery_days as d', (j) => j.onRef('d.tenant_id', '=', 'l.tenant_id').onRef('d.package_id', '=', 'l.line_id'))
    .select(one)
    .where('l.tenant_id', '=', tenantId)
    .where('l.order_id', '=', orderId)
    .where('d.spend_micros', '<>', 0)
  const invoiced = db
    .selectFrom('invoice_lines')
    .select(one)
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', orderId)
  const charged = db
    .selectFrom('charges')
    .select(one)
    .where('tenant_id', '=', tenantId)
    .where('order_id', '=', orderId)
    .where('taken_back_at', 'is', null)
  return (
    (await delivered.limit(1).executeTakeFirst()) !== undefined ||
    (await invoiced.limit(1).executeTakeFirst()) !== undefined ||
    (await charged.limit(1).executeTakeFirst()) !== undefined
  )
}
