import type { ColumnType, Selectable } from 'kysely'
import type { BillingParty } from '../../domain/account/billing-gate.ts'
import type { Tenant, TenantSettings, TextForm } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'

export interface PrincipalTables {
  tenants: {
    tenant_id: string
    name: string
    domain: string
    is_public_default: number
    products_revision: number
    settings: string
    created_at: string
  }
  principals: {
    tenant_id: string
    principal_id: string
    name: string
    agent_url: string | null
    sandbox: number
    status: 'active' | 'suspended'
    scopes: string
    signing_required: number
    text_form: ColumnType<TextForm, TextForm | undefined>
    /** Billing parties that it may name, as a JSON array; null: all that its publisher accepts. */
    billing: ColumnType<string | null, string | null | undefined>
    created_at: string
  }
  api_keys: {
    key_hash: string
    key_id: string
    tenant_id: string
    principal_id: string
    prefix: string
    last_four: string
    scopes: string
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
  }
}

export type PrincipalRow = Selectable<PrincipalTables['principals']>

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
  const row = await db.selectFrom('tenants').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  return row && tenantOf(row)
}

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

/** Changes what a tenant is called and where it lives. */
export async function renameTenant(
  tx: Db,
  tenantId: string,
  names: { readonly name?: string; readonly domain?: string },
): Promise<void> {
  if (Object.keys(names).length === 0) return
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

export interface NewPrincipal {
  readonly tenantId: string
  readonly principalId: string
  readonly name: string
  readonly agentUrl?: string | undefined
  readonly sandbox: boolean
  readonly scopes: readonly string[]
  readonly signingRequired?: boolean
}

/** Adds an agent of a tenant. Throws INVALID_REQUEST when the id is taken or the tenant is unknown. */
export async function addPrincipal(tx: Db, principal: NewPrincipal, now: Date): Promise<PrincipalRow> {
  if (!(await findTenant(tx, principal.tenantId)))
    throw new AdcpError('INVALID_REQUEST', `no tenant ${principal.tenantId}`, { field: 'tenant' })
  const row = await tx
    .insertInto('principals')
    .values({
      tenant_id: principal.tenantId,
      principal_id: principal.principalId,
      name: principal.name,
      agent_url: principal.agentUrl ?? null,
      sandbox: principal.sandbox ? 1 : 0,
      status: 'active',
      scopes: JSON.stringify(principal.scopes),
      signing_required: principal.signingRequired ? 1 : 0,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row)
    throw new AdcpError('INVALID_REQUEST', `principal ${principal.principalId} exists already in ${principal.tenantId}`, {
      field: 'principal',
    })
  return row
}

export async function listPrincipals(db: Db, tenantId: string | undefined): Promise<PrincipalRow[]> {
  return db
    .selectFrom('principals')
    .selectAll()
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .orderBy('tenant_id')
    .orderBy('principal_id')
    .execute()
}

/** Suspends or reactivates an agent; its keys stop or start to work at once. Throws REFERENCE_NOT_FOUND. */
export async function setPrincipalStatus(
  tx: Db,
  tenantId: string,
  principalId: string,
  status: 'active' | 'suspended',
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ status })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'principal' })
}

/** Holds an agent to signing its mutating calls, or lets it go again. Throws REFERENCE_NOT_FOUND. */
export async function setSigningRequired(tx: Db, tenantId: string, principalId: string, required: boolean): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ signing_required: required ? 1 : 0 })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'principal' })
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

/** Chooses how answers to an agent read as text. Throws REFERENCE_NOT_FOUND. */
export async function setTextForm(tx: Db, tenantId: string, principalId: string, textForm: TextForm): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ text_form: textForm })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'principal' })
}

/** Sets the billing parties that an agent may name; undefined: all that its publisher accepts. Throws REFERENCE_NOT_FOUND. */
export async function setAgentBilling(
  tx: Db,
  tenantId: string,
  principalId: string,
  parties: readonly BillingParty[] | undefined,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ billing: parties ? JSON.stringify(parties) : null })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'principal' })
}

/** Those of the named agents that there are. */
export async function findPrincipals(db: Db, tenantId: string, principalIds: readonly string[]): Promise<PrincipalRow[]> {
  if (principalIds.length === 0) return []
  return db
    .selectFrom('principals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('principal_id', 'in', principalIds)
    .execute()
}

export async function findPrincipal(db: Db, tenantId: string, principalId: string): Promise<PrincipalRow | undefined> {
  return db
    .selectFrom('principals')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
}
