import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { hotQuery, type NamedValue } from '../hot-query.ts'
import { bytesOf, fittingRows, PAGE_BYTES, type PageOfSize } from '../page-size.ts'
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
/** Agents that are asked for before others are served: some milliseconds. */
const AGENTS_A_TURN = 50

/** Up to `limit` authorisations behind a place, no more than a page holds of their ids; without `next` they were the last. Each agent is one range of the index of pages. */
export async function pageAuthorizations(
  db: Db,
  after: SnapshotPosition | undefined,
  limit: number,
): Promise<{ readonly agents: readonly AgentAuthorizations[]; readonly next: SnapshotPosition | undefined }> {
  const found: AgentAuthorizations[] = []
  let wanted = limit
  let bytes = 0
  let given = after
  const agents = await db
    .selectFrom('directory_agents')
    .select(['agent_id', 'agent_url'])
    .where('agent_id', '>=', after?.agentId ?? '')
    .orderBy('agent_id')
    .limit(MAX_AGENTS)
    .execute()
  for (const [index, { agent_id, agent_url }] of agents.entries()) {
    if (index % AGENTS_A_TURN === AGENTS_A_TURN - 1) await yieldToEventLoop()
    const behind = agent_id === after?.agentId ? after.domain : ''
    const { rows, isCut } = await pageAgentAuthorizations(db, { agentId: agent_id, after: behind, limit: wanted })
    const last = rows.at(-1)
    if (last) {
      found.push({ agentUrl: agent_url, rows })
      given = { agentId: agent_id, domain: last.publisher_domain }
    }
    for (const row of rows) bytes += row.property_ids.length
    if (isCut || bytes > PAGE_BYTES) return { agents: found, next: given }
    wanted -= rows.length
  }
  const last = agents.at(-1)
  // Beyond every domain: the next page begins with the agent that follows.
  const next = agents.length === MAX_AGENTS && last ? { agentId: last.agent_id, domain: '\u{10FFFF}' } : undefined
  return { agents: found, next }
}

/** Up to `limit` authorisations of one agent behind a domain, no more than a page holds of their ids. */
export async function pageAgentAuthorizations(
  db: Db,
  { agentId, after, limit }: { readonly agentId: string; readonly after: string; readonly limit: number },
): Promise<PageOfSize<AuthorizationRow>> {
  const ahead = { agentId, after, limit: limit + 1 }
  const [total] = (await totalsAhead(db, ahead)).rows
  const count = Number(total?.rows ?? 0)
  // The size of each row is asked for where that of all is too much: few pages are so large.
  const isLarge = Number(total?.bytes ?? 0) > PAGE_BYTES
  const fitting = isLarge ? fittingRows((await sizesAhead(db, ahead)).rows.map(({ bytes }) => bytes)) : count
  const shown = Math.min(limit, fitting)
  const rows = shown === 0 ? [] : (await rowsAhead(db, { ...ahead, limit: shown })).rows
  return { rows, isCut: count > shown }
}

type Ahead = 'agentId' | 'after' | 'limit'
const AHEAD = ['agentId', 'after', 'limit'] as const

const totalsAhead = hotQuery(AHEAD, (db, value) =>
  db
    .selectFrom(sizesOf(db, value).as('some'))
    .select((eb) => [eb.fn.countAll<number | string>().as('rows'), eb.fn.sum<number | string | null>('bytes').as('bytes')]),
)
const sizesAhead = hotQuery(AHEAD, sizesOf)
const rowsAhead = hotQuery(AHEAD, (db, value) =>
  authorizationsAhead(db, value)
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select(EXPORTED.map((column) => `c.${column}` as const))
    .select('d.short_form'),
)

function sizesOf(db: Db, value: NamedValue<Ahead>) {
  return authorizationsAhead(db, value).select(bytesOf('c.property_ids').as('bytes'))
}

function authorizationsAhead(db: Db, value: NamedValue<Ahead>) {
  return db
    .selectFrom('directory_claims as c')
    .where('c.agent_id', '=', value('agentId'))
    .where('c.shown', '=', 'authorized')
    .where('c.publisher_domain', '>', value('after'))
    .orderBy('c.publisher_domain')
    .limit(value.of<number>('limit'))
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
