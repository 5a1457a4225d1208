import type { Hold } from '../../domain/directory/revocation.ts'
import type { Db } from '../database.ts'
import { type PageOfSize, pageOfSize } from '../page-size.ts'
import { directoryId } from './directory-agents.ts'
import type { DirectoryClaimRow } from './rows.ts'

/** A claim with the addresses of its agent and its file. */
export type SourcedClaim = Omit<DirectoryClaimRow, 'agent_id' | 'document_id' | 'property_ids'> & {
  readonly agent_url: string
  readonly file_url: string
  readonly short_form: number
}

/** Claims that one answer explains: a publisher has a handful. */
const MAX_CLAIMS = 1_000

/**
 * Claims about a publisher, and one agent where it is given, by agent: those that lookups show before the others, where there are more than an answer explains.
 */
export async function listClaimSources(db: Db, domain: string, agentUrl?: string): Promise<readonly SourcedClaim[]> {
  const ofAgent = agentUrl === undefined ? undefined : directoryId(agentUrl)
  const some = db
    .selectFrom('directory_claims')
    .select(['publisher_domain', 'agent_id', 'route', 'document_id'])
    .where('publisher_domain', '=', domain)
    .$if(ofAgent !== undefined, (claims) => claims.where('agent_id', '=', ofAgent ?? ''))
    .orderBy((eb) => eb.case().when('shown', '=', '').then(1).else(0).end())
    .orderBy('agent_id')
    .limit(MAX_CLAIMS)
    .as('some')
  return db
    .selectFrom(some)
    .innerJoin('directory_claims as c', (join) =>
      join
        .onRef('c.publisher_domain', '=', 'some.publisher_domain')
        .onRef('c.agent_id', '=', 'some.agent_id')
        .onRef('c.route', '=', 'some.route')
        .onRef('c.document_id', '=', 'some.document_id'),
    )
    .innerJoin('directory_agents as a', 'a.agent_id', 'c.agent_id')
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select([
      'c.publisher_domain',
      'c.route',
      'c.shown',
      'c.status',
      'c.observed_at',
      'c.discovery_method',
      'c.manager_domain',
      'c.properties_authorized',
      'c.properties_total',
      'c.signing_keys_pinned',
      'c.verified_at',
      'c.granted_at',
      'a.agent_url',
      'd.url as file_url',
      'd.short_form',
    ])
    .orderBy('a.agent_url')
    .orderBy('d.url')
    .execute()
}

/** Who manages the file by which lookups show an agent of a publisher, and how it was found; undefined where they show none. */
export async function findShownManager(
  db: Db,
  domain: string,
): Promise<Pick<DirectoryClaimRow, 'discovery_method' | 'manager_domain'> | undefined> {
  return db
    .selectFrom('directory_claims')
    .select(['discovery_method', 'manager_domain'])
    .where('publisher_domain', '=', domain)
    .where('shown', '=', 'authorized')
    .orderBy('agent_id')
    .limit(1)
    .executeTakeFirst()
}

/** What the revocation lists of files say, or said, about a publisher. */
export async function listHoldsOn(db: Db, domain: string): Promise<readonly (Hold & { readonly fileUrl: string })[]> {
  const rows = await db
    .selectFrom('directory_holds as h')
    .innerJoin('directory_documents as d', 'd.document_id', 'h.document_id')
    .select(['h.publisher_domain', 'h.listed', 'h.first_observed_at', 'h.earliest_revoked_at', 'd.url'])
    .where('h.publisher_domain', '=', domain)
    .orderBy('d.url')
    .execute()
  return rows.map((row) => ({
    publisher: row.publisher_domain,
    listed: row.listed === 1,
    firstObservedAt: Date.parse(row.first_observed_at),
    earliestRevokedAt: Date.parse(row.earliest_revoked_at),
    fileUrl: row.url,
  }))
}

/** A row that lookups show for an agent, with the address of the file that it comes from. */
export type ShownSource = Omit<DirectoryClaimRow, 'agent_id' | 'document_id' | 'route' | 'shown' | 'observed_at'> & {
  readonly file_url: string
  readonly short_form: number
}

/** Rows of an agent in byte order of their domains, after one of them. */
export async function pageShownSources(db: Db, agentId: string, after: string, limit: number): Promise<PageOfSize<ShownSource>> {
  const rows = db
    .selectFrom('directory_claims as c')
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select([
      'c.publisher_domain',
      'c.discovery_method',
      'c.manager_domain',
      'c.property_ids',
      'c.status',
      'c.properties_authorized',
      'c.properties_total',
      'c.signing_keys_pinned',
      'c.verified_at',
      'c.granted_at',
      'd.url as file_url',
      'd.short_form',
    ])
    .where('c.agent_id', '=', agentId)
    .where('c.shown', '!=', '')
    .where('c.publisher_domain', '>', after)
    .orderBy('c.publisher_domain')
  return pageOfSize(rows, ['c.property_ids'], limit)
}

/** The claim that lookups show for an agent and a publisher, with the form of its file. */
export async function findShownClaim(
  db: Db,
  { agentId, publisher }: { readonly agentId: string; readonly publisher: string },
): Promise<
  (Omit<DirectoryClaimRow, 'route' | 'shown' | 'observed_at' | 'granted_at'> & { readonly short_form: number }) | undefined
> {
  return db
    .selectFrom('directory_claims as c')
    .innerJoin('directory_documents as d', 'd.document_id', 'c.document_id')
    .select([
      'c.agent_id',
      'c.publisher_domain',
      'c.document_id',
      'c.status',
      'c.discovery_method',
      'c.manager_domain',
      'c.properties_authorized',
      'c.properties_total',
      'c.signing_keys_pinned',
      'c.verified_at',
      'c.property_ids',
      'd.short_form',
    ])
    .where('c.publisher_domain', '=', publisher)
    .where('c.agent_id', '=', agentId)
    .where('c.shown', '!=', '')
    .executeTakeFirst()
}

/** A publisher that a file holds back, after one of them in byte order. */
export async function pageHolds(
  db: Db,
  after: string,
  limit: number,
): Promise<readonly { readonly publisher_domain: string; readonly file_url: string; readonly first_observed_at: string }[]> {
  return db
    .selectFrom('directory_holds as h')
    .innerJoin('directory_documents as d', 'd.document_id', 'h.document_id')
    .select(['h.publisher_domain', 'd.url as file_url', 'h.first_observed_at'])
    .where('h.publisher_domain', '>', after)
    .orderBy('h.publisher_domain')
    .limit(limit)
    .execute()
}
