import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { directoryId } from '../directory/directory-agents.ts'
import type { RegistryAgentRow } from './rows.ts'

/** Where a page of agents goes on. */
export interface AgentPosition {
  readonly domain: string
  readonly agentId: string
}

export interface AgentSearch {
  /** Words that every agent of the page has; at least one. */
  readonly facets: readonly string[]
  readonly after: AgentPosition | undefined
  readonly limit: number
}

export interface AgentPage {
  readonly agents: readonly RegistryAgentRow[]
  /** Undefined on the last page. A page may hold fewer agents than asked for, or none, and still go on. */
  readonly next: AgentPosition | undefined
}

/** Agents of the rarest word that one page examines: with words that rarely meet, a page costs no more than this. */
const WALKED = 2_000
/** Beyond this number words count as equally frequent. */
const COUNTED = 10_000

/** Id of an agent by its canonical URL. */
export function registryAgentId(agentUrl: string): string {
  return directoryId(agentUrl)
}

export async function findRegistryAgent(db: Db, agentId: string): Promise<RegistryAgentRow | undefined> {
  return db.selectFrom('registry_agents').selectAll().where('agent_id', '=', agentId).executeTakeFirst()
}

/** Adds an agent or replaces all that is known of it. */
export async function saveRegistryAgent(tx: Db, row: RegistryAgentRow): Promise<void> {
  const { agent_id: _id, added_at: _added, ...values } = row
  await tx
    .insertInto('registry_agents')
    .values(row)
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(values))
    .execute()
}

/** Adds agents that are not there yet; gives those that were new. */
export async function addRegistryAgents(tx: Db, rows: readonly RegistryAgentRow[]): Promise<string[]> {
  if (rows.length === 0) return []
  const added = await tx
    .insertInto('registry_agents')
    .values(rows)
    .onConflict((conflict) => conflict.column('agent_id').doNothing())
    .returning('agent_id')
    .execute()
  return added.map((row) => row.agent_id)
}

export async function deleteRegistryAgent(tx: Db, agentId: string): Promise<void> {
  await tx.deleteFrom('registry_facets').where('agent_id', '=', agentId).execute()
  await tx.deleteFrom('registry_agents').where('agent_id', '=', agentId).execute()
}

/** Replaces the words by which an agent is found; none takes it out of every search. */
export async function replaceFacets(tx: Db, agentId: string, domain: string, facets: readonly string[]): Promise<void> {
  await tx.deleteFrom('registry_facets').where('agent_id', '=', agentId).execute()
  if (facets.length === 0) return
  await tx
    .insertInto('registry_facets')
    .values(facets.map((facet) => ({ facet, domain, agent_id: agentId })))
    .execute()
}

/**
 * Listed agents that have all the words, by domain in byte order. The rarest word is walked along its index and the others are looked up, so a
 * page reads a bounded number of rows however many agents there are.
 */
export async function pageRegistryAgents(db: Db, { facets, after, limit }: AgentSearch): Promise<AgentPage> {
  const [rarest = '', ...others] = await byRarity(db, facets)
  const from = after ? sql`and (domain, agent_id) > (${after.domain}, ${after.agentId})` : sql``
  const has = (facet: string): RawBuilder<unknown> =>
    sql`exists (select 1 from registry_facets as f where f.facet = ${facet} and f.domain = w.domain and f.agent_id = w.agent_id)`
  const walked = others.length === 0 ? limit + 1 : WALKED
  const { rows } = await sql<{ domain: string; agent_id: string; matches: number }>`
    select w.domain, w.agent_id, case when ${others.length === 0 ? sql`1 = 1` : sql.join(others.map(has), sql` and `)} then 1 else 0 end as matches
    from (select domain, agent_id from registry_facets where facet = ${rarest} ${from} order by domain, agent_id limit ${walked}) as w
    order by w.domain, w.agent_id`.execute(db)
  const matching = rows.filter((row) => Number(row.matches) === 1)
  const shown = matching.slice(0, limit)
  const last = matching.length > limit ? shown.at(-1) : rows.length === walked ? rows.at(-1) : undefined
  return {
    agents: await agentsInOrder(
      db,
      shown.map((row) => row.agent_id),
    ),
    next: last && { domain: last.domain, agentId: last.agent_id },
  }
}

async function byRarity(db: Db, facets: readonly string[]): Promise<readonly string[]> {
  if (facets.length < 2) return facets
  const counts = new Map<string, number>()
  for (const facet of facets) {
    const few = db.selectFrom('registry_facets').select('agent_id').where('facet', '=', facet).limit(COUNTED).as('few')
    const row = await db
      .selectFrom(few)
      .select((eb) => eb.fn.countAll<number>().as('agents'))
      .executeTakeFirstOrThrow()
    counts.set(facet, Number(row.agents))
  }
  return facets.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0))
}

async function agentsInOrder(db: Db, ids: readonly string[]): Promise<readonly RegistryAgentRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('registry_agents').selectAll().where('agent_id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.agent_id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Listed agents under one domain, at most `limit`. */
export async function listAgentsOfDomain(db: Db, domain: string, limit: number): Promise<RegistryAgentRow[]> {
  return db
    .selectFrom('registry_agents')
    .selectAll()
    .where('domain', '=', domain)
    .where('listed', '=', 1)
    .orderBy('agent_id')
    .limit(limit)
    .execute()
}

export async function listAgentsOfSource(
  db: Db,
  source: RegistryAgentRow['source'],
  after: string,
  limit: number,
): Promise<RegistryAgentRow[]> {
  return db
    .selectFrom('registry_agents')
    .selectAll()
    .where('source', '=', source)
    .where('agent_id', '>', after)
    .orderBy('agent_id')
    .limit(limit)
    .execute()
}

/** Agents that the directory index has met and the registry has not, among the next `window` of the index; `next` is where to go on. */
export async function unknownDirectoryAgents(
  db: Db,
  after: string,
  window: number,
): Promise<{ readonly agentUrls: readonly string[]; readonly next: string | undefined }> {
  const { rows } = await sql<{ agent_id: string; agent_url: string; known: string | null }>`
    select d.agent_id, d.agent_url, r.agent_id as known
    from (select agent_id, agent_url from directory_agents where agent_id > ${after} order by agent_id limit ${window}) as d
    left join registry_agents as r on r.agent_id = d.agent_id
    order by d.agent_id`.execute(db)
  return {
    agentUrls: rows.filter((row) => row.known === null).map((row) => row.agent_url),
    next: rows.length === window ? rows.at(-1)?.agent_id : undefined,
  }
}
