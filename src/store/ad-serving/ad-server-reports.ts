import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { NOT_DUE } from './ad-server-orders.ts'

/** Orders whose delivery report is due. */
export async function dueReports(db: Db, now: Date, limit: number): Promise<AdServerOrderRef[]> {
  const rows = await db
    .selectFrom('ad_server_orders')
    .select(['tenant_id', 'media_buy_id', 'ad_server', 'report_at', 'reported_at'])
    .where('report_at', '<=', now.toISOString())
    .orderBy('report_at')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    mediaBuyId: row.media_buy_id,
    adServer: row.ad_server,
    reportAt: row.report_at,
    reportedAt: row.reported_at ?? undefined,
  }))
}

export interface AdServerOrderRef {
  readonly tenantId: string
  readonly mediaBuyId: string
  readonly adServer: string
  readonly reportAt: string
  /** When a report of it was taken as a whole last, ISO 8601 UTC; undefined: never. */
  readonly reportedAt: string | undefined
}

/** Moves the next report of an order; undefined: no further one. False when another process was faster. */
export async function moveReport(tx: Db, order: AdServerOrderRef, next: Date | undefined): Promise<boolean> {
  const { tenantId, mediaBuyId, adServer, reportAt } = order
  const moved = await setNextReport(tx, { tenantId, mediaBuyId, adServer, reportAt, next: next?.toISOString() ?? NOT_DUE })
  return moved.numAffectedRows === 1n
}

const setNextReport = hotQuery(['tenantId', 'mediaBuyId', 'adServer', 'reportAt', 'next'], (tx, value) =>
  tx
    .updateTable('ad_server_orders')
    .set({ report_at: value('next') })
    .where('tenant_id', '=', value('tenantId'))
    .where('media_buy_id', '=', value('mediaBuyId'))
    .where('ad_server', '=', value('adServer'))
    .where('report_at', '=', value('reportAt')),
)

/** Notes that a report that was asked for at this time was taken as a whole. */
export async function noteReported(tx: Db, order: AdServerOrderRef, at: Date): Promise<void> {
  const { tenantId, mediaBuyId, adServer } = order
  await setReported(tx, { tenantId, mediaBuyId, adServer, at: at.toISOString() })
}

const setReported = hotQuery(['tenantId', 'mediaBuyId', 'adServer', 'at'], (tx, value) =>
  tx
    .updateTable('ad_server_orders')
    .set({ reported_at: value('at') })
    .where('tenant_id', '=', value('tenantId'))
    .where('media_buy_id', '=', value('mediaBuyId'))
    .where('ad_server', '=', value('adServer')),
)

/** Asks for no further report of an order, unless somebody else has planned one meanwhile. */
export async function endReports(tx: Db, order: AdServerOrderRef): Promise<void> {
  await moveReport(tx, order, undefined)
}
