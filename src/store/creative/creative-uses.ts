import { type SqlBool, sql } from 'kysely'
import type { Db } from '../database.ts'

/** One creative of the library, by all that names it. */
export interface CreativeKey {
  readonly tenantId: string
  readonly principalId: string
  /** '' for a creative of every account of the buyer. */
  readonly accountId: string
  readonly creativeId: string
}

/** A package that a creative is assigned to, and the order around it. */
export interface CreativeUse {
  readonly mediaBuyId: string
  /** Domain of the advertiser; '' when the order names none. */
  readonly advertiser: string
  readonly packageId: string
  readonly productId: string
  /** Placements that it was chosen for; undefined: all of the package. */
  readonly placementIds: readonly string[] | undefined
  readonly startsAt: string
  readonly endsAt: string
  /** The decision that ended the order before its flight. */
  readonly decision: 'canceled' | 'rejected' | null
}

/** Packages that show a creative, those that end last first. A creative of an account stands there in place of one with the same id of every account. */
export async function usesOfCreative(db: Db, key: CreativeKey, limit: number): Promise<readonly CreativeUse[]> {
  const { tenantId, principalId, accountId, creativeId } = key
  const own = sql<SqlBool>`m.account_id not in (select account_id from creatives where tenant_id = ${tenantId} and principal_id = ${principalId} and creative_id = ${creativeId})`
  const rows = await db
    .selectFrom('creative_assignments as a')
    .innerJoin('packages as p', (j) => j.onRef('p.tenant_id', '=', 'a.tenant_id').onRef('p.package_id', '=', 'a.package_id'))
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .select(['p.media_buy_id', 'p.package_id', 'p.product_id', 'a.placement_ids'])
    .select(['m.advertiser', 'm.starts_at', 'm.ends_at', 'm.decision'])
    .where('a.tenant_id', '=', tenantId)
    .where('a.principal_id', '=', principalId)
    .where('a.creative_id', '=', creativeId)
    .where((eb) => (accountId === '' ? own : eb('m.account_id', '=', accountId)))
    .orderBy('m.ends_at', 'desc')
    .orderBy('p.package_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    mediaBuyId: row.media_buy_id,
    advertiser: row.advertiser,
    packageId: row.package_id,
    productId: row.product_id,
    placementIds: row.placement_ids === null ? undefined : JSON.parse(row.placement_ids),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    decision: row.decision,
  }))
}
