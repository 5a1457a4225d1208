import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

/**
 * Those of the ids of a fixture, of a media buy and of its packages, that somebody else's orders have: ids are the tenant's, and
 * only fixtures choose them.
 */
export async function takenIds(
  db: Db,
  owner: PrincipalRef,
  mediaBuyId: string,
  packageIds: readonly string[],
): Promise<string[]> {
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

/** Whether an account of the publisher belongs to a live buyer. What a sandbox buyer owns is simulated, however it was declared. */
export async function isLiveAccount(db: Db, { tenantId }: PrincipalRef, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts as a')
    .innerJoin('principals as p', (j) =>
      j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.principal_id', '=', 'a.principal_id'),
    )
    .select('a.account_id')
    .where('a.tenant_id', '=', tenantId)
    .where('a.account_id', '=', accountId)
    .where('p.sandbox', '=', 0)
    .executeTakeFirst()
  return row !== undefined
}
