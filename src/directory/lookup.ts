import { createHash } from 'node:crypto'
import { CURSOR_STEP_MS, type LookupQuery, nextCursor } from '../domain/directory/lookup-query.ts'
import { AdcpError } from '../errors.ts'
import type { Db } from '../store/database.ts'
import { findDirectoryAgent, listPublisherRows, type PublisherRow } from '../store/directory-lookup.ts'
import type { DirectoryAgentRow } from '../store/directory-tables.ts'

/** One publisher of an answer (specification §2.2). */
export interface PublisherEntry {
  readonly publisher_domain: string
  readonly discovery_method: string
  readonly manager_domain: string | null
  readonly properties_authorized: number
  readonly properties_total: number
  readonly property_ids?: readonly string[]
  readonly signing_keys_pinned: boolean
  readonly status: 'authorized' | 'revoked'
  readonly last_verified_at: string
}

/** The answer of a lookup (specification §2.1). */
export interface DirectoryEnvelope {
  readonly agent_url: string
  readonly directory_indexed_at: string | null
  readonly publishers: readonly PublisherEntry[]
  readonly next_cursor: string | null
}

/** A page with the version that its ETag stands for. */
export interface LookupPage {
  readonly envelope: DirectoryEnvelope
  readonly agent: DirectoryAgentRow
}

/** Times a page is read again because the index changed under it, before it is taken as it is. */
const MAX_READS = 3

/**
 * Reads a page of the directory. Throws AdcpError REFERENCE_NOT_FOUND when no indexed file ever referenced the agent,
 * whatever the filters. Source: specification §4.1.
 */
export async function readPage(db: Db, query: LookupQuery, now: Date): Promise<LookupPage> {
  for (let attempt = 1; ; attempt += 1) {
    const agent = await getAgent(db, query.agent)
    const rows = await listPublisherRows(db, { ...query, agentId: agent.agent_id, limit: query.limit + 1 })
    const after = await getAgent(db, query.agent)
    // The version and the rows are two reads: a page counts when the version is the same on both sides of it.
    if (after.version === agent.version || attempt === MAX_READS) return { envelope: presentPage(query, rows, now), agent }
  }
}

/** The agent, for its version. Throws REFERENCE_NOT_FOUND. */
export async function getAgent(db: Db, agentUrl: string): Promise<DirectoryAgentRow> {
  const agent = await findDirectoryAgent(db, agentUrl)
  if (agent) return agent
  throw new AdcpError('REFERENCE_NOT_FOUND', 'the directory has never indexed a publisher that references this agent_url', {
    field: 'agent_url',
  })
}

/** Strong validators of a page: without a next page it holds as long as the agent's rows, with one as long as its cursor's step. */
export interface PageTags {
  readonly last: string
  readonly withCursor: string
}

/** The ETags that a page may have, from the query and the version of the agent's rows: no row is read for it. */
export function pageTags(agent: DirectoryAgentRow, query: LookupQuery, now: Date): PageTags {
  const { since, statuses, limit, withPropertyIds, after } = query
  const state = [agent.agent_url, agent.version, agent.changed_at, since, statuses, limit, withPropertyIds, after]
  const hash = createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 32)
  return { last: `"${hash}"`, withCursor: `"${hash}-${Math.ceil(now.getTime() / CURSOR_STEP_MS).toString(36)}"` }
}

function presentPage(query: LookupQuery, rows: readonly PublisherRow[], now: Date): DirectoryEnvelope {
  const page = rows.length > query.limit ? rows.slice(0, query.limit) : rows
  const last = page.at(-1)
  const publishers = page.map(presentEntry)
  let newest: string | null = null
  for (const { last_verified_at } of publishers) if (newest === null || last_verified_at > newest) newest = last_verified_at
  return {
    agent_url: query.agent,
    directory_indexed_at: newest,
    publishers,
    next_cursor: last && rows.length > query.limit ? nextCursor(query, last.publisher_domain, now) : null,
  }
}

function presentEntry(row: PublisherRow): PublisherEntry {
  const ids: readonly string[] | undefined = row.property_ids === undefined ? undefined : JSON.parse(row.property_ids)
  return {
    publisher_domain: row.publisher_domain,
    discovery_method: row.discovery_method,
    manager_domain: row.manager_domain,
    properties_authorized: row.properties_authorized,
    properties_total: row.properties_total,
    ...(ids !== undefined && { property_ids: ids }),
    signing_keys_pinned: row.signing_keys_pinned === 1,
    status: row.status,
    last_verified_at: row.verified_at,
  }
}
