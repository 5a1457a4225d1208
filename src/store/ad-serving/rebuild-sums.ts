import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { currentDelivery, summed } from './delivery-ledger.ts'
import { dayOfPeriods } from './delivery-sources.ts'
import { insertDays, moveTotals } from './delivery-sums.ts'

/** Packages read at once: each has some thousand hours. */
const STEP = 20

/**
 * Makes the daily sums of a publisher again from the ledger, in days of a time zone. Orders that were settled have their ad server asked again, until the
 * background job settles them.
 */
export async function rebuildSums(tx: Db, tenantId: string, timeZone: string): Promise<void> {
  await tx.deleteFrom('delivery_totals').where('tenant_id', '=', tenantId).execute()
  await tx.deleteFrom('delivery_days').where('tenant_id', '=', tenantId).execute()
  await tx
    .insertInto('delivery_zones')
    .values({ tenant_id: tenantId, time_zone: timeZone })
    .onConflict((c) => c.column('tenant_id').doUpdateSet({ time_zone: timeZone }))
    .execute()
  await tx
    .updateTable('media_buys')
    .set({ delivery_source: 'live' })
    .where('tenant_id', '=', tenantId)
    .where('delivery_source', 'in', ['settled', 'sandbox'])
    .execute()
  await fillFromLedger(tx, tenantId, dayOfPeriods(timeZone))
  await moveTotals(tx, tenantId, () => sql`1 = 1`, 1)
}

async function fillFromLedger(tx: Db, tenantId: string, dayOf: (period: string) => string): Promise<void> {
  let after = ''
  for (;;) {
    const packages = await tx
      .selectFrom('delivery_ledger')
      .select('package_id')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where('package_id', '>', after)
      .orderBy('package_id')
      .limit(STEP)
      .execute()
    const ids = packages.map(({ package_id }) => package_id)
    const rows = await currentDelivery(tx, tenantId, ids)
    const days = rows.map(({ period, revision: _revision, adServer: _server, reportedAt: _at, ...row }) => ({
      ...row,
      day: dayOf(period),
    }))
    await insertDays(tx, tenantId, summed(days))
    const last = ids.at(-1)
    if (last === undefined || ids.length < STEP) return
    after = last
  }
}
