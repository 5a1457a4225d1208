import type { Db } from '../database.ts'

/** A line that was booked for a package of a buyer. */
export interface HousePackage {
  readonly lineId: string
  readonly packageId: string
  readonly principalId: string
  readonly accountId: string
}

/** Packages of lines that have not ended. Lines whose media buy is not stored yet are left out. */
export async function listHousePackages(db: Db, tenantId: string, now: Date): Promise<HousePackage[]> {
  const rows = await db
    .selectFrom('house_lines as l')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.package_id', '=', 'l.anchor'))
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .select(['l.line_id', 'p.package_id', 'm.principal_id', 'm.account_id'])
    .where('l.tenant_id', '=', tenantId)
    .where('l.ends_at', '>', now.toISOString())
    .where('l.state', '!=', 'canceled')
    .orderBy('l.line_id')
    .execute()
  return rows.map((row) => ({
    lineId: row.line_id,
    packageId: row.package_id,
    principalId: row.principal_id,
    accountId: row.account_id,
  }))
}
