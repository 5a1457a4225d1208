import { sql } from 'kysely'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { directoryId } from '../directory/directory-agents.ts'
import type { DirectoryPublisherRow } from '../directory/rows.ts'

/** Rows that one step of a count reads: a few milliseconds on either engine, so that no caller waits for a count. */
const COUNT_STEP = 5_000

/** Agents that the index shows as authorised by a publisher, by their ids. */
export async function agentsOfPublisher(
  db: Db,
  domain: string,
  after: string,
  limit: number,
): Promise<{ agent_id: string; agent_url: string; discovery_method: string; registered: string | null }[]> {
  const { rows } = await sql<{ agent_id: string; agent_url: string; discovery_method: string; registered: string | null }>`
    select c.agent_id, a.agent_url, c.discovery_method, r.source as registered
    from directory_claims as c
    join directory_agents as a on a.agent_id = c.agent_id
    left join registry_agents as r on r.agent_id = c.agent_id and r.listed = 1
    where c.publisher_domain = ${domain} and c.agent_id > ${after} and c.shown = 'authorized'
    order by c.agent_id limit ${limit}`.execute(db)
  return rows
}

/** Agents at a host (https, no other port than 443) that some publisher authorises, by their addresses. */
export async function agentsAtHost(db: Db, host: string, limit: number): Promise<{ agent_id: string; agent_url: string }[]> {
  return db
    .selectFrom('directory_agents as a')
    .select(['a.agent_id', 'a.agent_url'])
    .where((e) =>
      // "0" is the character after "/".
      e.or([
        e('a.agent_url', '=', `https://${host}`),
        e.and([e('a.agent_url', '>=', `https://${host}/`), e('a.agent_url', '<', `https://${host}0`)]),
      ]),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('directory_claims as c')
          .select('c.agent_id')
          .whereRef('c.agent_id', '=', 'a.agent_id')
          .where('c.shown', '=', 'authorized'),
      ),
    )
    .orderBy('a.agent_url')
    .limit(limit)
    .execute()
}

/** Publishers that authorise an agent, in byte order of their domains: one range of the directory's page index. */
export async function domainsOfAgent(db: Db, agentUrl: string, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('directory_claims')
    .select('publisher_domain')
    .where('agent_id', '=', directoryId(agentUrl))
    .where('shown', '=', 'authorized')
    .where('publisher_domain', '>', after)
    .orderBy('publisher_domain')
    .limit(limit)
    .execute()
  return rows.map((row) => row.publisher_domain)
}

/** Whether the index shows an agent as authorised by a publisher. */
export async function isAuthorized(db: Db, agentUrl: string, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('directory_claims')
    .select('agent_id')
    .where('publisher_domain', '=', domain)
    .where('agent_id', '=', directoryId(agentUrl))
    .where('shown', '=', 'authorized')
    .executeTakeFirst()
  return row !== undefined
}

export interface ListedPublisher {
  readonly publisher_domain: string
  readonly serves: DirectoryPublisherRow['serves']
  /** 1 when the file that speaks for it was read and is one. */
  readonly valid: number
  readonly verified_at: string | null
  readonly agents: number
}

/** Publishers that are crawled, in byte order of their domains, with the agents that each authorises. */
export async function pagePublishers(db: Db, after: string, limit: number): Promise<ListedPublisher[]> {
  const { rows } = await sql<ListedPublisher>`
    select p.publisher_domain, p.serves,
      case when exists (select 1 from directory_documents as d where d.document_id = p.route_document_id and d.content = 'inline')
        and p.serves in ('inline', 'pointer') then 1 else 0 end as valid,
      (select max(c.verified_at) from directory_claims as c where c.publisher_domain = p.publisher_domain and c.shown = 'authorized') as verified_at,
      (select count(*) from directory_claims as c where c.publisher_domain = p.publisher_domain and c.shown = 'authorized') as agents
    from (select publisher_domain, serves, route_document_id from directory_publishers where publisher_domain > ${after}
      order by publisher_domain limit ${limit}) as p
    order by p.publisher_domain`.execute(db)
  return rows.map((row) => ({ ...row, agents: Number(row.agents) }))
}

interface CountStep {
  readonly rows: number
  readonly all: number
  readonly some: number
  readonly last: string | null
}

/** Counts publishers, and those that serve a file, step by step along the primary key, giving way in between. */
export async function countPublishers(db: Db): Promise<{ readonly all: number; readonly some: number }> {
  return countInSteps((after) =>
    sql<CountStep>`select count(*) as "rows", count(*) as "all", max(publisher_domain) as last,
        count(case when serves in ('inline', 'pointer') then 1 end) as "some"
      from (select publisher_domain, serves from directory_publishers where publisher_domain > ${after}
        order by publisher_domain limit ${COUNT_STEP}) as step`.execute(db),
  )
}

/** Counts listed agents, and those of them that answered last time, the same way. */
export async function countAgents(db: Db): Promise<{ readonly all: number; readonly some: number }> {
  return countInSteps((after) =>
    sql<CountStep>`select count(*) as "rows", count(case when listed = 1 then 1 end) as "all", max(agent_id) as last,
        count(case when listed = 1 and health = 'online' then 1 end) as "some"
      from (select agent_id, listed, health from registry_agents where agent_id > ${after}
        order by agent_id limit ${COUNT_STEP}) as step`.execute(db),
  )
}

async function countInSteps(read: (after: string) => Promise<{ rows: CountStep[] }>) {
  const totals = { all: 0, some: 0 }
  let after: string | undefined = ''
  while (after !== undefined) {
    const step: CountStep | undefined = (await read(after)).rows[0]
    totals.all += Number(step?.all ?? 0)
    totals.some += Number(step?.some ?? 0)
    after = Number(step?.rows ?? 0) === COUNT_STEP ? (step?.last ?? undefined) : undefined
    await yieldToEventLoop()
  }
  return totals
}
