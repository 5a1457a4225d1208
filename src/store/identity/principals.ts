import type { Selectable } from 'kysely'
import type { BillingParty, BuyerStatus, TextForm } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { missingBuyer } from './missing-buyer.ts'
import type { PrincipalTables } from './rows.ts'
import { findTenant } from './tenants.ts'

export type PrincipalRow = Selectable<PrincipalTables['principals']>

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
    throw new AdcpError('INVALID_REQUEST', `buyer ${principal.principalId} exists already in ${principal.tenantId}`, {
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
export async function setPrincipalStatus(tx: Db, tenantId: string, principalId: string, status: BuyerStatus): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ status })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missingBuyer(tenantId, principalId)
}

/** Holds an agent to signing its mutating calls, or lets it go again. Throws REFERENCE_NOT_FOUND. */
export async function setSigningRequired(tx: Db, tenantId: string, principalId: string, required: boolean): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ signing_required: required ? 1 : 0 })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missingBuyer(tenantId, principalId)
}

/** Chooses how answers to an agent read as text. Throws REFERENCE_NOT_FOUND. */
export async function setTextForm(tx: Db, tenantId: string, principalId: string, textForm: TextForm): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('principals')
    .set({ text_form: textForm })
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missingBuyer(tenantId, principalId)
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
  if (numUpdatedRows === 0n) throw missingBuyer(tenantId, principalId)
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
