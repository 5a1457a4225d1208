import type { Selectable } from 'kysely'
import type { Tenant, TenantSettings } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { PrincipalTables } from './rows.ts'

/** The tenant of a row. */
export function tenantOf(row: Selectable<PrincipalTables['tenants']>): Tenant {
  const settings: TenantSettings = JSON.parse(row.settings)
  return {
    tenantId: row.tenant_id,
    name: row.name,
    domain: row.domain,
    isPublicDefault: row.is_public_default === 1,
    productsRevision: Number(row.products_revision),
    settings,
  }
}

/** Adds a tenant. The first one becomes the default of public calls. Throws INVALID_REQUEST when the id is taken. */
export async function addTenant(tx: Db, tenant: { tenantId: string; name: string; domain: string }, now: Date): Promise<Tenant> {
  const first = (await tx.selectFrom('tenants').select('tenant_id').limit(1).executeTakeFirst()) === undefined
  const row = await tx
    .insertInto('tenants')
    .values({
      tenant_id: tenant.tenantId,
      name: tenant.name,
      domain: tenant.domain,
      is_public_default: first ? 1 : 0,
      products_revision: 0,
      settings: '{}',
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new AdcpError('INVALID_REQUEST', `tenant ${tenant.tenantId} exists already`, { field: 'tenant' })
  return tenantOf(row)
}

/** A domain has one publisher: its files, its directory entry and what is said in its name are one's alone. Throws INVALID_REQUEST where it is another tenant's. */
export async function requireFreeDomain(tx: Db, domain: string, tenantId: string): Promise<void> {
  const other = await tx
    .selectFrom('tenants')
    .select('tenant_id')
    .where('domain', '=', domain)
    .where('tenant_id', '!=', tenantId)
    .executeTakeFirst()
  if (!other) return
  const message = `domain ${domain} is another publisher's of this deployment; send the publisher's own`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'domain' })
}

export async function listTenants(db: Db): Promise<Tenant[]> {
  return (await db.selectFrom('tenants').selectAll().orderBy('tenant_id').execute()).map(tenantOf)
}

/** Tenants by id, those behind `after`; at most `limit`. */
export async function listTenantsAfter(db: Db, after: string, limit: number): Promise<Tenant[]> {
  const rows = await db
    .selectFrom('tenants')
    .selectAll()
    .where('tenant_id', '>', after)
    .orderBy('tenant_id')
    .limit(limit)
    .execute()
  return rows.map(tenantOf)
}

export async function findTenant(db: Db, tenantId: string): Promise<Tenant | undefined> {
  const [row] = (await tenantNamed(db, { tenantId })).rows
  return row && tenantOf(row)
}

const tenantNamed = hotQuery(['tenantId'], (db, value) =>
  db.selectFrom('tenants').selectAll().where('tenant_id', '=', value('tenantId')),
)

const publicTenant = hotQuery([], (db) => db.selectFrom('tenants').selectAll().where('is_public_default', '=', 1))

/** The tenant whose public products answer calls that name none. */
export async function findPublicTenant(db: Db): Promise<Tenant | undefined> {
  const [row] = (await publicTenant(db, {})).rows
  return row && tenantOf(row)
}

/** The tenant that callers without credentials see: the one that their address names, else the default. */
export function findTenantOfAddress(db: Db, tenantId: string | undefined): Promise<Tenant | undefined> {
  return tenantId === undefined ? findPublicTenant(db) : findTenant(db, tenantId)
}

/** Changes what a tenant is called and where it lives. Throws INVALID_REQUEST when another tenant lives there. */
export async function renameTenant(
  tx: Db,
  tenantId: string,
  names: { readonly name?: string; readonly domain?: string },
): Promise<void> {
  if (Object.keys(names).length === 0) return
  if (names.domain !== undefined) await requireFreeDomain(tx, names.domain, tenantId)
  await tx.updateTable('tenants').set(names).where('tenant_id', '=', tenantId).execute()
}

/** Lets a tenant answer calls that name none, in the place of the one that did. */
export async function makePublicDefault(tx: Db, tenantId: string): Promise<void> {
  await tx.updateTable('tenants').set({ is_public_default: 0 }).where('tenant_id', '!=', tenantId).execute()
  await tx.updateTable('tenants').set({ is_public_default: 1 }).where('tenant_id', '=', tenantId).execute()
}

/** Replaces a tenant's policy document. */
export async function saveTenantSettings(tx: Db, tenantId: string, settings: TenantSettings): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ settings: JSON.stringify(settings) })
    .where('tenant_id', '=', tenantId)
    .execute()
}

/** Ids of the publishers whose policy offers make-goods without a person. */
export async function tenantsThatOffer(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tenants').select(['tenant_id', 'settings']).orderBy('tenant_id').execute()
  return rows.flatMap(({ tenant_id: tenantId, settings }) => {
    const { makeGoods }: TenantSettings = JSON.parse(settings)
    return makeGoods?.how === 'offer' ? [tenantId] : []
  })
}

/** Ids of the publishers that have an active agent which is no sandbox agent. */
export async function listProductionTenants(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('principals')
    .select('tenant_id')
    .distinct()
    .where('sandbox', '=', 0)
    .where('status', '=', 'active')
    .orderBy('tenant_id')
    .execute()
  return rows.map((row) => row.tenant_id)
}
