import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { isSupplied } from '../../domain/media-buy/lifecycle.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { keepServing } from '../media-buy/keep-serving.ts'
import { scheduleStatusCheck } from '../webhook/scheduled-events.ts'
import { assignmentsOf } from './creative-assignments.ts'

/**
 * Notes of packages of buyers that delivered though no creative of their buyer could serve: somebody at the ad server supplies their ads, so that their orders do not wait for creatives. `since`: the
 * first hour or UTC day that was reported now (`YYYY-MM-DD`, `YYYY-MM-DDTHH`), by package; ids that are no package of a buyer are passed over.
 */
export async function supplyDelivered(tx: Db, tenantId: string, since: ReadonlyMap<string, string>, now: Date): Promise<void> {
  await forEachChunk([...since.keys()], async (ids) => {
    for (const { document, principalId, mediaBuyId, startsAt } of await withoutApproved(tx, tenantId, ids)) {
      const pkg: Package = JSON.parse(document)
      const owner: PrincipalRef = { tenantId, principalId }
      if (isSupplied(pkg, await assignmentsOf(tx, { ...owner, sandbox: false }, [pkg.packageId]), startsAt)) continue
      const period = since.get(pkg.packageId) ?? ''
      const from = new Date(period.length > 'YYYY-MM-DD'.length ? `${period}:00:00Z` : period).toISOString()
      await keepServing(tx, owner, pkg.packageId, [{ from: from < startsAt ? startsAt : from }])
      await scheduleStatusCheck(tx, tenantId, [mediaBuyId], now)
    }
  })
}

/** Few: nearly all that delivers has an approved creative. */
function withoutApproved(tx: Db, tenantId: string, packageIds: readonly string[]) {
  return tx
    .selectFrom('packages as p')
    .innerJoin('media_buys as m', (j) =>
      j.onRef('m.tenant_id', '=', 'p.tenant_id').onRef('m.media_buy_id', '=', 'p.media_buy_id'),
    )
    .select(['p.document', 'm.principal_id as principalId', 'm.media_buy_id as mediaBuyId', 'm.starts_at as startsAt'])
    .where('p.tenant_id', '=', tenantId)
    .where('p.package_id', 'in', packageIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('creative_assignments as a')
            .innerJoin('creatives as c', (j) =>
              j
                .onRef('c.tenant_id', '=', 'a.tenant_id')
                .onRef('c.principal_id', '=', 'a.principal_id')
                .onRef('c.creative_id', '=', 'a.creative_id'),
            )
            .select('a.package_id')
            .whereRef('a.tenant_id', '=', 'p.tenant_id')
            .whereRef('a.package_id', '=', 'p.package_id')
            .where('c.status', '=', 'approved'),
        ),
      ),
    )
    .execute()
}
