import type { Db } from '../database.ts'
import type { DirectoryClaimRow, DirectoryDocumentRow } from './rows.ts'

/** What the export shows of an authorisation. A column more costs a tenth of the time that a row takes. */
const EXPORTED = [
  'agent_id',
  'publisher_domain',
  'discovery_method',
  'manager_domain',
  'properties_authorized',
  'properties_total',
  'signing_keys_pinned',
  'verified_at',
  'property_ids',
] as const

/** An authorisation that lookups show, with the form of the file that it comes from. */
export type AuthorizationRow = Pick<DirectoryClaimRow, (typeof EXPORTED)[number]> & Pick<DirectoryDocumentRow, 'short_form'>

/** Authorisations of one agent. */
export interface AgentAuthorizations {
  readonly agentUrl: string
  readonly rows: readonly AuthorizationRow[]
}

/** A place in the list of all authorisations, which is ordered by agent id and domain. */
export interface SnapshotPosition {
  readonly agentId: string
  /** Empty before the agent's first publisher. */
  readonly domain: string
}

/** Agents that one page examines: most agents of a large index have rows, but not all. */
const MAX_AGENTS = 500

/** Up to `limit` authorisations behind a place; without `next` they were the last. Each agent is one range of the index of pages. */
export async function pageAuthorizations(
  db: Db,
  after: SnapshotPosition | undefined,
  limit: number,
): Promise<{ readonly agents: readonly AgentAuthorizations[]; readonly next: SnapshotPosition | undefined }> {
  const found: AgentAuthorizations[] = []
  let wanted = limit
  let given = after
  const agents = await db
    .selectFrom('directory_agents')
    .select(['agent_id', 'agent_url'])
    .where('agent_id', '>=', after?.agentId ?? '')
    .orderBy('agent_id')
    .limit(MAX_AGENTS)
    .execute()
  for (const { agent_id, agent_url } of agents) {
    const behind = agent_id === after?.agentId ? after.domain : ''
    // One more than is wanted: only what follows makes another page.
    const ahead = await pageAgentAuthorizations(db, { agentId: agent_id, after: behind, limit: wanted + 1 })
    const rows = ahead.slice(0, wanted)
    const last = rows.at(-1)
    if (last) {
      found.push({ agentUrl: agent_url, rows })
      given = { agentId: agent_id, domain: last.publisher_domain }
    }
    if (ahead.length > rows.length) return { agents: found, next: given }
    wanted -= rows.length
  }
  const last = agents.at(-1)
  // Beyond every domain: the next page begins with the agent that follows.
  const next = agents.length === MAX_AGENTS && last ? { agentId: last.agent_id, domain: '\u{10FFFF}' } : undefined
  return { agents: found, next }
}

/** Up to `limit` authorisations of one agent behind a domain. */
export async function pageAgentAuthorizations(
  db: Db,
  { agentId, after, limit }: { readonly agentId: string; readonly after: string; readonly limit: number },
): Promise<readonly AuthorizationRow[]> {
  return db
    .selectFrom('directory_claims as c')
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select(EXPORTED.map((column) => `c.${column}` as const))
    .select('d.short_form')
    .where('c.agent_id', '=', agentId)
    .where('c.shown', '=', 'authorized')
    .where('c.publisher_domain', '>', after)
    .orderBy('c.publisher_domain')
    .limit(limit)
    .execute()
}

/** How many publishers authorise an agent, and how many properties they name; counted up to a bound. */
export async function countInventory(
  db: Db,
  agentId: string,
): Promise<{ readonly publishers: number; readonly properties: number }> {
  const some = db
    .selectFrom('directory_claims')
    .select('properties_authorized')
    .where('agent_id', '=', agentId)
    .where('shown', '=', 'authorized')
    .limit(MAX_COUNTED)
    .as('some')
  const row = await db
    .selectFrom(some)
    .select((eb) => [eb.fn.countAll<number>().as('publishers'), eb.fn.sum<number>('properties_authorized').as('properties')])
    .executeTakeFirstOrThrow()
  return { publishers: Number(row.publishers), properties: Number(row.properties ?? 0) }
}

/** A search shows up to 200 agents; their counts must not read a million rows each. */
const MAX_COUNTED = 10_000
