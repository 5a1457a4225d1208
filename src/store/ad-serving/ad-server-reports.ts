import type { Db } from '../database.ts'
import { NOT_DUE } from './ad-server-orders.ts'

/** Orders whose delivery report is due. */
export async function dueReports(db: Db, now: Date, limit: number): Promise<AdServerOrderRef[]> {
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['tenant_id', 'media_buy_id', 'ad_server', 'report_at'])
    .where('report_at', '<=', now.toISOString())
    .orderBy('report_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    reportAt: row.report_at,
  }))
}

export interface AdServerOrderRef {
  readonly tenantId: string
  readonly mediaBuyId: string
  readonly adServer: string
  readonly reportAt: string
}

/** Moves the next report of an order; undefined: no further one. False when another process was faster. */
export async function moveReport(tx: Db, order: AdServerOrderRef, next: Date | undefined): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('ad_server_orders')
    .set({ report_at: next?.toISOString() ?? NOT_DUE })
    .where('tenant_id', '=', order.tenantId)
    .where('media_buy_id', '=', order.mediaBuyId)
    .where('ad_server', '=', order.adServer)
    .where('report_at', '=', order.reportAt)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
