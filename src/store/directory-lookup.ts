import type { NotNull } from 'kysely'
import type { Db } from './database.ts'
import { directoryId } from './directory-claims.ts'
import type { DirectoryAgentRow } from './directory-tables.ts'

/** One row of an answer. */
export interface PublisherRow {
  readonly publisher_domain: string
  readonly discovery_method: string
  readonly manager_domain: string | null
  readonly properties_authorized: number
  readonly properties_total: number
  readonly signing_keys_pinned: number
  readonly status: 'authorized' | 'revoked'
  readonly verified_at: string
  /** JSON array; present when asked for. */
  readonly property_ids?: string | undefined
}

export interface PageRequest {
  readonly agentId: string
  readonly statuses: readonly ('authorized' | 'revoked')[]
  readonly since: string | undefined
  readonly after: string | undefined
  readonly limit: number
  readonly withPropertyIds: boolean
}

/**
 * With `since`, up to this many recently verified files are joined to their rows and sorted; beyond it matches are so
 * dense (2 % of a million rows at worst one page in 10,000 rows read) that walking by domain is cheaper.
 */
const SPARSE_FILES = 10_000

/** An agent that was ever referenced by an indexed file, with the version of its rows. One row by primary key. */
export async function findDirectoryAgent(db: Db, agentUrl: string): Promise<DirectoryAgentRow | undefined> {
  return db.selectFrom('directory_agents').selectAll().where('agent_id', '=', directoryId(agentUrl)).executeTakeFirst()
}

/** Up to `limit` rows of an agent in byte order of their domains, filtered in the query. */
export async function listPublisherRows(db: Db, request: PageRequest): Promise<readonly PublisherRow[]> {
  const isSparse = request.since !== undefined && (await countFilesSince(db, request)) < SPARSE_FILES
  // One range of the page index for each status, merged here: an IN over both would make the engine sort everything.
  const pages = await Promise.all(
    request.statuses.map((status) => (isSparse ? sparsePage(db, request, status) : densePage(db, request, status))),
  )
  const [first = [], ...others] = pages
  if (others.length === 0) return first
  return pages
    .flat()
    .sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1))
    .slice(0, request.limit)
}

async function densePage(db: Db, request: PageRequest, status: 'authorized' | 'revoked'): Promise<readonly PublisherRow[]> {
  const { since, after } = request
  return db
    .selectFrom('directory_claims as c')
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select(COLUMNS)
    .$if(request.withPropertyIds, (query) => query.select('c.property_ids'))
    .where('c.agent_id', '=', request.agentId)
    .where('c.shown', '=', status)
    .$if(after !== undefined, (query) => query.where('c.publisher_domain', '>', after ?? ''))
    .$if(since !== undefined, (query) => query.where('d.verified_at', '>=', since ?? ''))
    .orderBy('c.publisher_domain')
    .limit(request.limit)
    .$narrowType<Verified>()
    .execute()
}

async function sparsePage(db: Db, request: PageRequest, status: 'authorized' | 'revoked'): Promise<readonly PublisherRow[]> {
  const { since, after } = request
  return db
    .selectFrom('directory_agent_documents as f')
    .innerJoin('directory_claims as c', (join) =>
      join.onRef('c.document_id', '=', 'f.document_id').onRef('c.agent_id', '=', 'f.agent_id'),
    )
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select(COLUMNS)
    .$if(request.withPropertyIds, (query) => query.select('c.property_ids'))
    .where('f.agent_id', '=', request.agentId)
    .where('f.verified_at', '>=', since ?? '')
    .where('d.verified_at', '>=', since ?? '')
    .where('c.shown', '=', status)
    .$if(after !== undefined, (query) => query.where('c.publisher_domain', '>', after ?? ''))
    .orderBy('c.publisher_domain')
    .limit(request.limit)
    .$narrowType<Verified>()
    .execute()
}

/** Rows exist only while their file is verified. */
interface Verified {
  verified_at: NotNull
}

const COLUMNS = [
  'c.publisher_domain',
  'c.discovery_method',
  'c.manager_domain',
  'c.properties_authorized',
  'c.properties_total',
  'c.signing_keys_pinned',
  'c.status',
  'd.verified_at',
] as const

async function countFilesSince(db: Db, { agentId, since }: PageRequest): Promise<number> {
  const row = await db
    .selectFrom(
      db
        .selectFrom('directory_agent_documents')
        .select('document_id')
        .where('agent_id', '=', agentId)
        .where('verified_at', '>=', since ?? '')
        .limit(SPARSE_FILES)
        .as('recent'),
    )
    .select((eb) => eb.fn.countAll<number>().as('files'))
    .executeTakeFirstOrThrow()
  return Number(row.files)
}
