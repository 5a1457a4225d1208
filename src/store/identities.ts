import type { Identity } from '../auth/signature.ts'
import { AdcpError } from '../errors.ts'
import type { Db } from './database.ts'
import { findPrincipal, findTenant, type PrincipalRow } from './principals.ts'

/** An active principal; mechanism and credential are for the verifier to fill in. */
export async function findIdentity(db: Db, tenantId: string, principalId: string): Promise<Identity | undefined> {
  const [row, tenant] = [await findPrincipal(db, tenantId, principalId), await findTenant(db, tenantId)]
  if (!row || !tenant || row.status !== 'active') return undefined
  return {
    tenant,
    principal: {
      tenantId,
      principalId,
      name: row.name,
      agentUrl: row.agent_url ?? undefined,
      sandbox: row.sandbox === 1,
      scopes: JSON.parse(row.scopes),
      signingRequired: row.signing_required === 1,
      mechanism: 'bearer',
      credentialId: '',
    },
  }
}

/** The row of a principal. Throws REFERENCE_NOT_FOUND. */
export async function getPrincipal(db: Db, tenantId: string, principalId: string): Promise<PrincipalRow> {
  const row = await findPrincipal(db, tenantId, principalId)
  if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', `no principal ${principalId} in ${tenantId}`, { field: 'principal' })
  return row
}
