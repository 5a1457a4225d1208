import { listPrincipals as listStoredPrincipals, type PrincipalRow } from '../../store/identity/principals.ts'
import type { OperatorContext } from '../operator-context.ts'

export type ShownPrincipal = ReturnType<typeof presentPrincipal>

/** The buyer agents of a publisher, or of all. */
export async function listPrincipals({ store }: OperatorContext, tenantId?: string): Promise<readonly ShownPrincipal[]> {
  return (await listStoredPrincipals(store.read, tenantId)).map(presentPrincipal)
}

export function presentPrincipal(row: PrincipalRow) {
  const scopes: readonly string[] = JSON.parse(row.scopes)
  return {
    tenant: row.tenant_id,
    principal: row.principal_id,
    name: row.name,
    status: row.status,
    sandbox: row.sandbox === 1,
    scopes,
    signing_required: row.signing_required === 1,
    answer_text: row.text_form,
    billing: row.billing === null ? null : (JSON.parse(row.billing) as unknown),
    agent_url: row.agent_url,
    created_at: row.created_at,
  }
}
