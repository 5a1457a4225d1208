import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { NOT_LEASED } from '../leases.ts'
import type { DirectoryPublisherRow } from './rows.ts'

/** What is known of a name when it joins the crawl list. */
export interface NewPublisher {
  readonly domain: string
  readonly origin: DirectoryPublisherRow['origin']
  readonly dueAt: Date
  /** The file that mentions it in a selector and answers for none of its properties: such a name waits behind the others. */
  readonly mentionedBy?: string
}

/**
 * Puts names on the crawl list. Names already on it stay as they are, but one that waited behind the others moves up when it comes again
 * in its own right. Returns how many are new.
 */
export async function addPublishers(tx: Db, publishers: readonly NewPublisher[], now: Date): Promise<number> {
  let added = 0
  for await (const chunk of chunksInTurns(publishers.map((each) => newPublisherRow(each, now)))) {
    const inserted = await tx
      .insertInto('directory_publishers')
      .values(chunk)
      .onConflict((conflict) => conflict.column('publisher_domain').doNothing())
      .returning('publisher_domain')
      .execute()
    added += inserted.length
  }
  for await (const chunk of chunksInTurns(
    publishers.filter(({ mentionedBy }) => mentionedBy === undefined).map(({ domain }) => domain),
  )) {
    await tx
      .updateTable('directory_publishers')
      .set({ priority: 0, named_by: null })
      .where('publisher_domain', 'in', chunk)
      .where('priority', '=', 1)
      .execute()
  }
  return added
}

function newPublisherRow({ domain, origin, dueAt, mentionedBy }: NewPublisher, now: Date): DirectoryPublisherRow {
  return {
    publisher_domain: domain,
    origin,
    serves: 'unknown',
    self_blocked_until: null,
    route_method: null,
    route_manager: null,
    route_document_id: null,
    pointer_adopted: null,
    pointer_pending: null,
    pointer_pending_since: null,
    failures: 0,
    next_attempt_at: dueAt.toISOString(),
    priority: mentionedBy === undefined ? 0 : 1,
    named_by: mentionedBy ?? null,
    barren_since: null,
    ...NOT_LEASED,
    added_at: now.toISOString(),
  }
}

/** Those of some names that are not on the crawl list yet. */
export async function withoutListed(db: Db, domains: readonly string[]): Promise<readonly string[]> {
  const listed = new Set<string>()
  for await (const chunk of chunksInTurns(domains)) {
    const rows = await db
      .selectFrom('directory_publishers')
      .select('publisher_domain')
      .where('publisher_domain', 'in', chunk)
      .execute()
    for (const { publisher_domain } of rows) listed.add(publisher_domain)
  }
  return domains.filter((domain) => !listed.has(domain))
}

/** How many names that a file only mentions have not been visited yet. */
export async function countUnvisited(db: Db, documentId: string): Promise<number> {
  const row = await db
    .selectFrom('directory_publishers')
    .select((eb) => eb.fn.countAll<number>().as('names'))
    .where('named_by', '=', documentId)
    .where('priority', '=', 1)
    .where('serves', '=', 'unknown')
    .where('barren_since', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.names)
}

/** Takes a name off the crawl list, with the record of its visits. Its claims are the caller's to derive anew. */
export async function deletePublisher(tx: Db, domain: string): Promise<void> {
  await tx.deleteFrom('directory_publishers').where('publisher_domain', '=', domain).execute()
  await tx.deleteFrom('directory_attempts').where('publisher_domain', '=', domain).execute()
}

const publisherByDomain = hotQuery(['domain'], (db, value) =>
  db.selectFrom('directory_publishers').selectAll().where('publisher_domain', '=', value('domain')),
)

export async function findPublisher(db: Db, domain: string): Promise<DirectoryPublisherRow | undefined> {
  return (await publisherByDomain(db, { domain })).rows[0]
}

const CHANGING_COLUMNS = [
  'serves',
  'self_blocked_until',
  'route_method',
  'route_manager',
  'route_document_id',
  'pointer_adopted',
  'pointer_pending',
  'pointer_pending_since',
  'failures',
  'next_attempt_at',
  'priority',
  'named_by',
  'barren_since',
  'lease_owner',
  'lease_until',
] as const satisfies (keyof DirectoryPublisherRow)[]

const updatePublisher = hotQuery(['publisher_domain', ...CHANGING_COLUMNS], (tx, value) =>
  tx
    .updateTable('directory_publishers')
    .set({
      serves: value.of<DirectoryPublisherRow['serves']>('serves'),
      self_blocked_until: value('self_blocked_until'),
      route_method: value.of<DirectoryPublisherRow['route_method']>('route_method'),
      route_manager: value('route_manager'),
      route_document_id: value('route_document_id'),
      pointer_adopted: value('pointer_adopted'),
      pointer_pending: value('pointer_pending'),
      pointer_pending_since: value('pointer_pending_since'),
      failures: value.of<number>('failures'),
      next_attempt_at: value('next_attempt_at'),
      priority: value.of<number>('priority'),
      named_by: value('named_by'),
      barren_since: value('barren_since'),
      lease_owner: value('lease_owner'),
      lease_until: value('lease_until'),
    })
    .where('publisher_domain', '=', value('publisher_domain')),
)

export async function savePublisher(tx: Db, row: DirectoryPublisherRow): Promise<void> {
  await updatePublisher(tx, { ...row })
}

/**
 * Makes domains due at once (a re-crawl request); leases of running attempts stay. Unknown domains are left out. With all of them every shared
 * file is due too: whichever crawler comes to it first asks for it again, and the others use its copy.
 */
export async function requestCrawl(tx: Db, domains: readonly string[] | 'all', now: Date): Promise<void> {
  const due = { next_attempt_at: now.toISOString() }
  if (domains === 'all') {
    await tx.updateTable('directory_publishers').set(due).execute()
    await tx.updateTable('directory_documents').set({ attempted_at: null }).where('attempted_at', 'is not', null).execute()
  } else {
    for await (const chunk of chunksInTurns(domains)) {
      await tx.updateTable('directory_publishers').set(due).where('publisher_domain', 'in', chunk).execute()
    }
  }
}

const dependantsOf = hotQuery(['documentId'], (db, value) =>
  db.selectFrom('directory_publishers').selectAll().where('route_document_id', '=', value('documentId')),
)

/** Publishers whose own walk ends at a file. */
export async function listDependants(db: Db, documentId: string): Promise<DirectoryPublisherRow[]> {
  return (await dependantsOf(db, { documentId })).rows
}

/** Whether the own walk of any publisher ends at a file, by this method where one is given. */
export async function hasDependants(
  db: Db,
  documentId: string,
  method?: Exclude<DirectoryPublisherRow['route_method'], null>,
): Promise<boolean> {
  const dependants = db.selectFrom('directory_publishers').select('publisher_domain').where('route_document_id', '=', documentId)
  const chosen = method === undefined ? dependants : dependants.where('route_method', '=', method)
  return (await chosen.limit(1).executeTakeFirst()) !== undefined
}
