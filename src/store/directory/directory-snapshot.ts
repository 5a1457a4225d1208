import type { Db } from '../database.ts'
import { CLAIM_COLUMNS, type DirectoryClaimRow } from './directory-tables.ts'

/** An authorisation that lookups show, with the address of its agent. */
export type AuthorizationRow = DirectoryClaimRow & { readonly agent_url: string }

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
): Promise<{ readonly rows: readonly AuthorizationRow[]; readonly next: SnapshotPosition | undefined }> {
  const rows: AuthorizationRow[] = []
  const agents = await db
    .selectFrom('directory_agents')
    .select(['agent_id', 'agent_url'])
    .where('agent_id', '>=', after?.agentId ?? '')
    .orderBy('agent_id')
    .limit(MAX_AGENTS)
    .execute()
  for (const { agent_id, agent_url } of agents) {
    const wanted = limit - rows.length
    const found = await db
      .selectFrom('directory_claims')
      .select(CLAIM_COLUMNS)
      .where('agent_id', '=', agent_id)
      .where('shown', '=', 'authorized')
      .where('publisher_domain', '>', agent_id === after?.agentId ? after.domain : '')
      .orderBy('publisher_domain')
      .limit(wanted)
      .execute()
    for (const row of found) rows.push({ ...row, agent_url })
    const last = rows.at(-1)
    if (found.length === wanted && last) return { rows, next: { agentId: agent_id, domain: last.publisher_domain } }
  }
  const last = agents.at(-1)
  // Beyond every domain: the next page begins with the agent that follows.
  const next = agents.length === MAX_AGENTS && last ? { agentId: last.agent_id, domain: '\u{10FFFF}' } : undefined
  return { rows, next }
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
