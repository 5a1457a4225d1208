import { deliveryZone } from '../ad-serving/delivery-sums.ts'
import type { Db } from '../database.ts'

/** The last month that a publisher has closed, `YYYY-MM`. */
export async function lastClosedMonth(db: Db, tenantId: string): Promise<string | undefined> {
  const query = db.selectFrom('billing_months').select('month').where('tenant_id', '=', tenantId)
  return (await query.orderBy('month', 'desc').limit(1).executeTakeFirst())?.month
}

/**
 * The time zone to count the days of a publisher in: `wanted` until a month is closed, from then on the one that its closed months were counted in. In another one, delivery would move over the ends of
 * closed months, and what was invoiced would have to be corrected.
 */
export async function zoneToCount(db: Db, tenantId: string, wanted: string): Promise<string> {
  return (await lastClosedMonth(db, tenantId)) === undefined ? wanted : deliveryZone(db, tenantId)
}
