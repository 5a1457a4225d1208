import type { Selectable } from 'kysely'
import type { Identity } from '../../domain/identity/identity.ts'
import type { TextForm } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { missingBuyer } from './missing-buyer.ts'
import { findPrincipal, type PrincipalRow } from './principals.ts'
import type { PrincipalTables } from './rows.ts'
import { tenantOf } from './tenants.ts'

/** What `identityOf` needs of a principal `p`, beside all columns of its tenant. */
export const PRINCIPAL_COLUMNS = [
  'p.principal_id as principal_id',
  'p.name as principal_name',
  'p.agent_url as agent_url',
  'p.sandbox as sandbox',
  'p.scopes as principal_scopes',
  'p.signing_required as signing_required',
  'p.text_form as text_form',
  'p.billing as principal_billing',
] as const

export interface IdentityRow extends Selectable<PrincipalTables['tenants']> {
  readonly principal_id: string
  readonly principal_name: string
  readonly agent_url: string | null
  readonly sandbox: number
  readonly principal_scopes: string
  readonly signing_required: number
  readonly text_form: TextForm
  readonly principal_billing: string | null
}

/** A principal and its tenant; mechanism and credential are for the verifier to fill in. */
export function identityOf(row: IdentityRow): Identity {
  return {
    tenant: tenantOf(row),
    principal: {
      tenantId: row.tenant_id,
      principalId: row.principal_id,
      name: row.principal_name,
      agentUrl: row.agent_url ?? undefined,
      sandbox: row.sandbox === 1,
      scopes: JSON.parse(row.principal_scopes),
      signingRequired: row.signing_required === 1,
      textForm: row.text_form,
      ...(row.principal_billing !== null && { billing: JSON.parse(row.principal_billing) }),
      mechanism: 'bearer',
      credentialId: '',
    },
  }
}

const activePrincipal = hotQuery(['tenantId', 'principalId'], (db, value) =>
  db
    .selectFrom('principals as p')
    .innerJoin('tenants as t', 't.tenant_id', 'p.tenant_id')
    .selectAll('t')
    .select(PRINCIPAL_COLUMNS)
    .where('p.tenant_id', '=', value('tenantId'))
    .where('p.principal_id', '=', value('principalId'))
    .where('p.status', '=', 'active'),
)

/** An active principal. */
export async function findIdentity(db: Db, tenantId: string, principalId: string): Promise<Identity | undefined> {
  const [row] = (await activePrincipal(db, { tenantId, principalId })).rows
  return row && identityOf(row)
}

/** The row of a principal. Throws REFERENCE_NOT_FOUND. */
export async function getPrincipal(db: Db, tenantId: string, principalId: string): Promise<PrincipalRow> {
  const row = await findPrincipal(db, tenantId, principalId)
  if (!row) throw missingBuyer(tenantId, principalId)
  return row
}
