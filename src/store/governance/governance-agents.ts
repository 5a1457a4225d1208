import type { AuthScheme } from '../../domain/auth-scheme.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'

export interface GovernanceAgent {
  /** Without its query. */
  readonly url: string
  /** Of the address, sealed for {@link governanceQueryPlace}. */
  readonly query?: string | undefined
  readonly scheme: AuthScheme
  /** Sealed for {@link governanceSealPlace}. */
  readonly credentials: string
  readonly categories: readonly string[] | undefined
}

/** The row that sealed credentials belong to: they open for no other account and no other address. */
export function governanceSealPlace(tenantId: string, accountId: string, url: string): string {
  return JSON.stringify(['governance-agent', tenantId, accountId, url])
}

/** The row that the sealed query of an address belongs to. */
export function governanceQueryPlace(tenantId: string, accountId: string, url: string): string {
  return JSON.stringify(['governance-agent', tenantId, accountId, url, 'query'])
}

/** Replaces the governance agents of an account. */
export async function replaceGovernanceAgents(
  tx: Db,
  by: PrincipalRef,
  accountId: string,
  agents: readonly GovernanceAgent[],
  now: Date,
): Promise<void> {
  await tx
    .deleteFrom('account_governance_agents')
    .where('tenant_id', '=', by.tenantId)
    .where('account_id', '=', accountId)
    .execute()
  if (agents.length === 0) return
  await tx
    .insertInto('account_governance_agents')
    .values(
      agents.map(({ url, query, scheme, credentials, categories }, position) => ({
        tenant_id: by.tenantId,
        account_id: accountId,
        position,
        url,
        query: query ?? null,
        scheme,
        credentials,
        categories: categories ? JSON.stringify(categories) : null,
        principal_id: by.principalId,
        created_at: now.toISOString(),
      })),
    )
    .execute()
}

/** Whether an agent has registered a governance agent on any account. */
export async function hasGovernanceAgents(db: Db, { tenantId, principalId }: PrincipalRef): Promise<boolean> {
  const row = await db
    .selectFrom('account_governance_agents')
    .select('account_id')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The governance agents of an account, in the order in which they were registered. */
export async function listGovernanceAgents(db: Db, tenantId: string, accountId: string): Promise<GovernanceAgent[]> {
  const rows = await db
    .selectFrom('account_governance_agents')
    .select(['url', 'query', 'scheme', 'credentials', 'categories'])
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .orderBy('position')
    .execute()
  return rows.map(({ url, query, scheme, credentials, categories }) => ({
    url,
    query: query ?? undefined,
    scheme,
    credentials,
    categories: categories === null ? undefined : JSON.parse(categories),
  }))
}
