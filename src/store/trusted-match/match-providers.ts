import type { Selectable } from 'kysely'
import type { ProviderRegistration } from '../../domain/trusted-match/provider-registration.ts'
import type { SealedAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../database.ts'
import type { MatchProviderTables } from './rows.ts'

/** A provider that a publisher registered. */
export interface StoredMatchProvider {
  readonly tenantId: string
  readonly registration: ProviderRegistration
  /** Where packages are synced to; undefined: they are not. */
  readonly syncTo: SealedAddress | undefined
  readonly syncKey: string | undefined
  readonly synced: string
  readonly syncedAt: string | undefined
  readonly attempts: number
  readonly dueAt: string
  readonly fault: string | undefined
}

/** Providers of a publisher, or of all, by their ids. */
export async function listMatchProviders(db: Db, tenantId?: string): Promise<StoredMatchProvider[]> {
  const rows = await db
    .selectFrom('match_providers')
    .selectAll()
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .orderBy('tenant_id')
    .orderBy('provider_id')
    .execute()
  return rows.map(storedIn)
}

/** Writes a registration, new or known. Its packages are synced anew; why the last sync failed stays until one has succeeded. */
export async function saveMatchProvider(
  tx: Db,
  { tenantId, registration, syncTo, syncKey }: Pick<StoredMatchProvider, 'tenantId' | 'registration' | 'syncTo' | 'syncKey'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const values = {
    registration: JSON.stringify(registration),
    sync_url: syncTo?.url ?? null,
    sync_query: syncTo?.query ?? null,
    sync_key: syncKey ?? null,
    synced: '',
    attempts: 0,
    due_at: at,
    updated_at: at,
  }
  await tx
    .insertInto('match_providers')
    .values({ tenant_id: tenantId, provider_id: registration.provider_id, synced_at: null, fault: null, revision: 1, ...values })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'provider_id'])
        .doUpdateSet((e) => ({ ...values, revision: e('match_providers.revision', '+', 1) })),
    )
    .execute()
}

/** False when there was none. */
export async function removeMatchProvider(tx: Db, tenantId: string, providerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('match_providers')
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Notes how an attempt to sync ended, unless the registration was changed meanwhile (`dueAt` as it was read). */
export async function noteSync(
  tx: Db,
  { tenantId, providerId, dueAt }: { readonly tenantId: string; readonly providerId: string; readonly dueAt: string },
  outcome: { readonly synced: string } | { readonly fault: string; readonly attempts: number; readonly dueAt: Date },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await tx
    .updateTable('match_providers')
    .set(
      'synced' in outcome
        ? { synced: outcome.synced, synced_at: at, attempts: 0, fault: null }
        : { attempts: outcome.attempts, due_at: outcome.dueAt.toISOString(), fault: outcome.fault },
    )
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .where('due_at', '=', dueAt)
    .execute()
}

function storedIn(row: Selectable<MatchProviderTables['match_providers']>): StoredMatchProvider {
  return {
    tenantId: row.tenant_id,
    registration: JSON.parse(row.registration),
    syncTo: row.sync_url === null ? undefined : { url: row.sync_url, query: row.sync_query ?? undefined },
    syncKey: row.sync_key ?? undefined,
    synced: row.synced,
    syncedAt: row.synced_at ?? undefined,
    attempts: row.attempts,
    dueAt: row.due_at,
    fault: row.fault ?? undefined,
  }
}
