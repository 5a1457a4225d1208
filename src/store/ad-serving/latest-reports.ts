import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'

/** The last report of a package. */
export interface LatestReport {
  readonly packageId: string
  readonly adServer: string
  readonly reportedAt: string
}

/** The last reports of packages after a moment, of periods from `from` and before `before` (as the ledger names them); packages of which nothing was reported since are left out. */
export async function latestReports(
  db: Db,
  tenantId: string,
  packageIds: readonly string[],
  { after, from, before }: { readonly after: string; readonly from: string; readonly before: string },
): Promise<LatestReport[]> {
  const latest = new Map<string, LatestReport>()
  for (const ids of chunksOf(packageIds)) {
    const rows = await db
      .selectFrom('delivery_ledger')
      .select(['package_id', 'ad_server', (e) => e.fn.max('reported_at').as('reported_at')])
      .where('tenant_id', '=', tenantId)
      .where('package_id', 'in', ids)
      .where('period', '>=', from)
      .where('period', '<', before)
      .where('reported_at', '>', after)
      .groupBy(['package_id', 'ad_server'])
      .orderBy('reported_at')
      .execute()
    for (const { package_id: packageId, ad_server: adServer, reported_at: reportedAt } of rows)
      latest.set(packageId, { packageId, adServer, reportedAt })
  }
  return [...latest.values()]
}
