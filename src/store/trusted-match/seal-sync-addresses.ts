import type { SealedAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../database.ts'

/** Seals what addresses hide that packages are synced to and that were stored before it was sealed: queries, and secrets in paths. */
export async function sealSyncAddresses(
  tx: Db,
  seal: (url: string, of: { readonly tenantId: string; readonly providerId: string }) => SealedAddress,
): Promise<void> {
  const rows = await tx
    .selectFrom('match_providers')
    .select(['tenant_id', 'provider_id', 'sync_url'])
    .where('sync_query', 'is', null)
    .execute()
  for (const { tenant_id, provider_id, sync_url } of rows) {
    const sealed = sync_url === null ? undefined : seal(sync_url, { tenantId: tenant_id, providerId: provider_id })
    if (sealed?.query === undefined) continue
    await tx
      .updateTable('match_providers')
      .set({ sync_url: sealed.url, sync_query: sealed.query })
      .where('tenant_id', '=', tenant_id)
      .where('provider_id', '=', provider_id)
      .execute()
  }
}
