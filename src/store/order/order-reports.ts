import type { Selectable } from 'kysely'
import type { Db } from '../database.ts'
import type { OrderTables } from './rows.ts'

/** An order that people entered or adopted, whose delivery is to be imported. */
export type ReportedOrder = Pick<
  Selectable<OrderTables['orders']>,
  'tenant_id' | 'order_id' | 'origin' | 'external_id' | 'ad_server' | 'starts_at' | 'ends_at' | 'report_at'
>

/** Orders whose delivery report is due, the longest due first. */
export function dueOrderReports(db: Db, now: Date, limit: number): Promise<ReportedOrder[]> {
  return db
    .selectFrom('orders')
    .select(['tenant_id', 'order_id', 'origin', 'external_id', 'ad_server', 'starts_at', 'ends_at', 'report_at'])
    .where('report_at', '<=', now.toISOString())
    .orderBy('report_at')
    .limit(limit)
    .execute()
}

/** Moves the next report of an order. False when another process was faster. */
export async function moveOrderReport(tx: Db, order: ReportedOrder, next: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('orders')
    .set({ report_at: next })
    .where('tenant_id', '=', order.tenant_id)
    .where('order_id', '=', order.order_id)
    .where('report_at', '=', order.report_at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
