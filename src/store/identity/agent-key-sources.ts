import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import type { Identity } from '../../domain/identity/identity.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { getPrincipal, identityOf, PRINCIPAL_COLUMNS } from './identities.ts'
import { keySourcePlace, type OpenAddress, shownAddress } from './key-addresses.ts'
import type { AgentKeyKind } from './rows.ts'

/** Registers where an agent's keys come from. The principal needs an agent URL. Throws REFERENCE_NOT_FOUND, INVALID_REQUEST. */
export async function addAgentKeySource(
  tx: Db,
  source: { tenantId: string; principalId: string; kind: AgentKeyKind; value: string; query?: string | undefined },
  now: Date,
): Promise<void> {
  const principal = await getPrincipal(tx, source.tenantId, source.principalId)
  if (principal.agent_url === null) {
    throw new AdcpError('INVALID_REQUEST', 'signing keys belong to an agent: the buyer needs an agent URL', {
      field: 'agent_url',
    })
  }
  await tx
    .insertInto('agent_key_sources')
    .values({
      tenant_id: source.tenantId,
      principal_id: source.principalId,
      kind: source.kind,
      value: source.value,
      query: source.query ?? null,
      created_at: now.toISOString(),
    })
    .onConflict((c) =>
      c.columns(['tenant_id', 'principal_id', 'kind']).doUpdateSet({ value: source.value, query: source.query ?? null }),
    )
    .execute()
}

/** Removes a source; its keys stop to work as soon as the cached list of sources is read again. */
export async function removeAgentKeySource(tx: Db, tenantId: string, principalId: string, kind: AgentKeyKind): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('agent_key_sources')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Where the keys of one agent come from, by kind; queries of addresses are sealed. */
export async function agentKeySourcesOf(
  db: Db,
  owner: { readonly tenantId: string; readonly principalId: string },
): Promise<{ readonly kind: AgentKeyKind; readonly value: string; readonly query: string | null }[]> {
  return db
    .selectFrom('agent_key_sources')
    .select(['kind', 'value', 'query'])
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .orderBy('kind')
    .execute()
}

/** Key sources of all active principals, each agent's once, with the tenants that registered it; addresses as `open` gives them. */
export async function listAgentKeySources(db: Db, open: OpenAddress = shownAddress): Promise<AgentKeySource[]> {
  const rows = await db
    .selectFrom('agent_key_sources as s')
    .innerJoin('principals as p', (j) =>
      j.onRef('p.tenant_id', '=', 's.tenant_id').onRef('p.principal_id', '=', 's.principal_id'),
    )
    .select(['p.agent_url', 's.kind', 's.value', 's.query', 's.tenant_id', 's.principal_id'])
    .where('p.status', '=', 'active')
    .where('p.agent_url', 'is not', null)
    .orderBy('s.tenant_id')
    .execute()
  const sources = new Map<string, AgentKeySource & { readonly tenantIds: string[] }>()
  for (const { agent_url: agentUrl, kind, value: stored, query, tenant_id: tenantId, principal_id: principalId } of rows) {
    const value = query === null ? stored : open({ url: stored, query }, keySourcePlace(tenantId, principalId))
    const id = JSON.stringify([agentUrl, kind, value])
    const known = sources.get(id)
    if (known) known.tenantIds.push(tenantId)
    else sources.set(id, { agentUrl: agentUrl ?? '', kind, value, tenantIds: [tenantId] })
  }
  return [...sources.values()]
}

/** Documents of public keys that are registered for other agents than this one, whether they may call now or not. */
export async function keyDocumentsOfOthers(db: Db, agentUrl: string): Promise<string[]> {
  const rows = await db
    .selectFrom('agent_key_sources as s')
    .innerJoin('principals as p', (j) =>
      j.onRef('p.tenant_id', '=', 's.tenant_id').onRef('p.principal_id', '=', 's.principal_id'),
    )
    .select('s.value')
    .where('s.kind', '=', 'jwks')
    .where('p.agent_url', '!=', agentUrl)
    .execute()
  return rows.map(({ value }) => value)
}

/** The domain that the operator registered as the brand of an agent, whose brand.json speaks for it; undefined when there is none. */
export async function brandDomainOf(
  db: Db,
  owner: { readonly tenantId: string; readonly principalId: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent_key_sources')
    .select('value')
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('kind', '=', 'brand_json')
    .where('value', '!=', '')
    .executeTakeFirst()
  return row?.value
}

/** Revokes a key of any agent for this deployment, for good. Returns since when it is revoked, ISO 8601, and whether it was before. */
export async function revokeAgentKey(tx: Db, keyid: string, now: Date) {
  const at = now.toISOString()
  const known = await tx.selectFrom('revoked_agent_keys').select('revoked_at').where('keyid', '=', keyid).executeTakeFirst()
  if (known) return { revokedAt: known.revoked_at, wasRevoked: true }
  await tx
    .insertInto('revoked_agent_keys')
    .values({ keyid, revoked_at: at })
    .onConflict((c) => c.doNothing())
    .execute()
  return { revokedAt: at, wasRevoked: false }
}

const revokedKey = hotQuery(['keyid'], (db, value) =>
  db.selectFrom('revoked_agent_keys').select('keyid').where('keyid', '=', value('keyid')),
)

export async function isAgentKeyRevoked(db: Db, keyid: string): Promise<boolean> {
  return (await revokedKey(db, { keyid })).rows.length > 0
}

const activeAgents = hotQuery(['agentUrl'], (db, value) =>
  db
    .selectFrom('principals as p')
    .innerJoin('tenants as t', 't.tenant_id', 'p.tenant_id')
    .selectAll('t')
    .select(PRINCIPAL_COLUMNS)
    .where('p.agent_url', '=', value('agentUrl'))
    .where('p.status', '=', 'active')
    .where((e) =>
      e.exists(
        e
          .selectFrom('agent_key_sources as s')
          .select('s.kind')
          .whereRef('s.tenant_id', '=', 'p.tenant_id')
          .whereRef('s.principal_id', '=', 'p.principal_id'),
      ),
    )
    .orderBy('p.created_at')
    .orderBy('p.tenant_id'),
)

/** The active principals, one a tenant, that are this agent and have registered keys; the oldest first. */
export async function findAgents(db: Db, agentUrl: string): Promise<Identity[]> {
  return (await activeAgents(db, { agentUrl })).rows.map(identityOf)
}
