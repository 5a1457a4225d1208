import { hash } from 'node:crypto'
import { cursorStep, type LookupQuery, nextCursor } from '../../domain/directory/lookup-query.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { DirectoryReader, PublisherPage } from '../../store/directory/directory-lookup.ts'
import type { DirectoryAgentRow } from '../../store/directory/rows.ts'
import type { DirectoryEnvelope } from './envelope.ts'

/** A page as it is sent, with the version in its ETag. */
export interface LookupPage {
  /** JSON text of a {@link DirectoryEnvelope}. */
  readonly body: string
  readonly hasNext: boolean
  readonly agent: DirectoryAgentRow
}

/**
 * Reads a page of the directory. Throws AdcpError REFERENCE_NOT_FOUND when no indexed file ever referenced the agent,
 * whatever the filters. Source: AdCP publisher directory page.
 */
export async function readPage(
  reader: DirectoryReader,
  agent: DirectoryAgentRow,
  query: LookupQuery,
  now: Date,
): Promise<LookupPage> {
  const page = await reader.readRows({ ...query, agentId: agent.agent_id })
  return {
    body: presentPage(query, page, now),
    hasNext: page.continuesAfter !== undefined,
    // An agent once indexed is never deleted; its version is that of the rows just read.
    agent: { ...agent, version: page.version, changed_at: page.changedAt },
  }
}

/** The page as an object, for callers inside this program. */
export async function readEnvelope(reader: DirectoryReader, query: LookupQuery, now: Date): Promise<DirectoryEnvelope> {
  return JSON.parse((await readPage(reader, await getAgent(reader, query.agent), query, now)).body)
}

/** The agent, for its version. Throws REFERENCE_NOT_FOUND. */
export async function getAgent(reader: DirectoryReader, agentUrl: string): Promise<DirectoryAgentRow> {
  const agent = await reader.findAgent(agentUrl)
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
  const { since, statuses, limit, withPropertyIds, withFileForm, after } = query
  const state = [agent.agent_url, agent.version, agent.changed_at, since, statuses, limit, withPropertyIds, withFileForm, after]
  const digest = hash('sha256', JSON.stringify(state), 'hex').slice(0, 32)
  return { last: `"${digest}"`, withCursor: `"${digest}-${cursorStep(now).toString(36)}"` }
}

function presentPage(query: LookupQuery, { entries, newest, continuesAfter }: PublisherPage, now: Date): string {
  const cursor = continuesAfter === undefined ? null : nextCursor(query, continuesAfter, now)
  const head = `"agent_url":${JSON.stringify(query.agent)},"directory_indexed_at":${JSON.stringify(newest)}`
  return `{${head},"publishers":[${entries}],"next_cursor":${JSON.stringify(cursor)}}`
}
