import type { Db } from '../database.ts'
import type { Owner } from './accounts.ts'

/**
 * Those of the ids of a fixture, of a media buy and of its packages, that somebody else's orders have: ids are the tenant's, and
 * only fixtures choose them.
 */
export async function takenIds(db: Db, owner: Owner, mediaBuyId: string, packageIds: readonly string[]): Promise<string[]> {
  const buys = await db
    .selectFrom('media_buys')
    .select('media_buy_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .execute()
  const packages = await db
    .selectFrom('packages')
    .select('package_id')
    .where('tenant_id', '=', owner.tenantId)
    .where('package_id', 'in', packageIds.length > 0 ? packageIds : [''])
    .execute()
  return [...buys.map((row) => row.media_buy_id), ...packages.map((row) => row.package_id)]
}
