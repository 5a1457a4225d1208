import { sql } from 'kysely'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import {
  CLAIM_COLUMNS,
  type DirectoryAttemptRow,
  type DirectoryClaimRow,
  type DirectoryPublisherRow,
} from './directory-tables.ts'

/** Attempts kept for `directory status`. */
const KEPT_ATTEMPTS = 10

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
  for (const chunk of chunksOf(publishers.map((each) => newPublisherRow(each, now)))) {
    const inserted = await tx
      .insertInto('directory_publishers')
      .values(chunk)
      .onConflict((conflict) => conflict.column('publisher_domain').doNothing())
      .returning('publisher_domain')
      .execute()
    added += inserted.length
  }
  for (const chunk of chunksOf(publishers.filter(({ mentionedBy }) => mentionedBy === undefined).map(({ domain }) => domain))) {
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
    lease_owner: null,
    lease_until: null,
    added_at: now.toISOString(),
  }
}

/** Those of some names that are not on the crawl list yet. */
export async function withoutListed(db: Db, domains: readonly string[]): Promise<readonly string[]> {
  const listed = new Set<string>()
  for (const chunk of chunksOf(domains)) {
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

export async function findPublisher(db: Db, domain: string): Promise<DirectoryPublisherRow | undefined> {
  return db.selectFrom('directory_publishers').selectAll().where('publisher_domain', '=', domain).executeTakeFirst()
}

export async function savePublisher(tx: Db, row: DirectoryPublisherRow): Promise<void> {
  const { publisher_domain, added_at: _added, origin: _origin, ...values } = row
  await tx.updateTable('directory_publishers').set(values).where('publisher_domain', '=', publisher_domain).execute()
}

/** Makes domains due at once (a re-crawl request); leases of running attempts stay. Unknown domains are left out. */
export async function requestCrawl(tx: Db, domains: readonly string[] | 'all', now: Date): Promise<void> {
  const due = { next_attempt_at: now.toISOString() }
  if (domains === 'all') await tx.updateTable('directory_publishers').set(due).execute()
  else {
    for (const chunk of chunksOf(domains)) {
      await tx.updateTable('directory_publishers').set(due).where('publisher_domain', 'in', chunk).execute()
    }
  }
}

export interface LeaseRequest {
  readonly owner: string
  readonly now: Date
  readonly leaseMs: number
  readonly limit: number
  /** Only this domain. */
  readonly domain?: string | undefined
}

/**
 * Hands out due publishers, longest waiting first. A lease keeps other workers away; one whose worker died runs out and
 * is handed out again.
 */
export async function leaseDue(tx: Db, request: LeaseRequest): Promise<string[]> {
  const now = request.now.toISOString()
  const due = await dueOf(tx, request, 0)
  // Names that nothing but a selector mentions wait until no other is due.
  if (due.length < request.limit) due.push(...(await dueOf(tx, { ...request, limit: request.limit - due.length }, 1)))
  if (due.length === 0) return []
  const leased = await tx
    .updateTable('directory_publishers')
    .set({ lease_owner: request.owner, lease_until: new Date(request.now.getTime() + request.leaseMs).toISOString() })
    .where('publisher_domain', 'in', due)
    // Said again: on PostgreSQL another worker may have been faster between the two statements.
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .returning('publisher_domain')
    .execute()
  return leased.map((row) => row.publisher_domain)
}

/** One range of the index of due publishers. */
async function dueOf(tx: Db, { now, limit, domain }: LeaseRequest, priority: 0 | 1): Promise<string[]> {
  const rows = await tx
    .selectFrom('directory_publishers')
    .select('publisher_domain')
    .where('priority', '=', priority)
    .where('next_attempt_at', '<=', now.toISOString())
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now.toISOString())]))
    .$if(domain !== undefined, (query) => query.where('publisher_domain', '=', domain ?? ''))
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.publisher_domain)
}

/** Gives names back that were leased and not visited, to be handed out again from `dueAt` on. */
export async function postpone(tx: Db, domains: readonly string[], owner: string, dueAt: Date): Promise<void> {
  for (const chunk of chunksOf(domains)) {
    await tx
      .updateTable('directory_publishers')
      .set({ lease_owner: null, lease_until: null, next_attempt_at: dueAt.toISOString() })
      .where('publisher_domain', 'in', chunk)
      .where('lease_owner', '=', owner)
      .execute()
  }
}

/** A publisher that is due, and the crawler that has taken it last. */
export interface DuePublisher {
  readonly domain: string
  /** Null when no crawler holds it. */
  readonly owner: string | null
  /** ISO 8601 UTC; from then on another crawler may take it. */
  readonly until: string | null
}

/** Publishers that are due at `now`, those that no crawler holds first, then the lease that ends first. */
export async function listDue(
  db: Db,
  request: { readonly now: Date; readonly limit: number; readonly domain?: string | undefined },
): Promise<readonly DuePublisher[]> {
  const now = request.now.toISOString()
  const rows = await db
    .selectFrom('directory_publishers')
    .select(['publisher_domain', 'lease_owner', 'lease_until'])
    .where('next_attempt_at', '<=', now)
    .$if(request.domain !== undefined, (query) => query.where('publisher_domain', '=', request.domain ?? ''))
    .orderBy(sql`coalesce(lease_until, '')`)
    .orderBy('publisher_domain')
    .limit(request.limit)
    .execute()
  return rows.map((row) => ({ domain: row.publisher_domain, owner: row.lease_owner, until: row.lease_until }))
}

/** How many publishers are due now. */
export async function countDue(db: Db, now: Date): Promise<number> {
  const row = await db
    .selectFrom('directory_publishers')
    .select((eb) => eb.fn.countAll<number>().as('due'))
    .where('priority', 'in', [0, 1])
    .where('next_attempt_at', '<=', now.toISOString())
    .executeTakeFirstOrThrow()
  return Number(row.due)
}

/** Notes an attempt and forgets all but the last ten. */
export async function recordAttempt(tx: Db, attempt: DirectoryAttemptRow): Promise<void> {
  await tx
    .insertInto('directory_attempts')
    .values(attempt)
    .onConflict((conflict) =>
      conflict.columns(['publisher_domain', 'attempted_at']).doUpdateSet({ result: attempt.result, reason: attempt.reason }),
    )
    .execute()
  const last = await tx
    .selectFrom('directory_attempts')
    .select('attempted_at')
    .where('publisher_domain', '=', attempt.publisher_domain)
    .orderBy('attempted_at', 'desc')
    .offset(KEPT_ATTEMPTS)
    .limit(1)
    .executeTakeFirst()
  if (!last) return
  await tx
    .deleteFrom('directory_attempts')
    .where('publisher_domain', '=', attempt.publisher_domain)
    .where('attempted_at', '<=', last.attempted_at)
    .execute()
}

export async function listAttempts(db: Db, domain: string): Promise<DirectoryAttemptRow[]> {
  return db
    .selectFrom('directory_attempts')
    .selectAll()
    .where('publisher_domain', '=', domain)
    .orderBy('attempted_at', 'desc')
    .execute()
}

/** Publishers whose own walk ends at a file. */
export async function listDependants(db: Db, documentId: string): Promise<DirectoryPublisherRow[]> {
  return db.selectFrom('directory_publishers').selectAll().where('route_document_id', '=', documentId).execute()
}

/** Whether the own walk of any publisher ends at a file. */
export async function hasDependants(db: Db, documentId: string): Promise<boolean> {
  const row = await db
    .selectFrom('directory_publishers')
    .select('publisher_domain')
    .where('route_document_id', '=', documentId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function listPublisherClaims(db: Db, domain: string): Promise<DirectoryClaimRow[]> {
  return db.selectFrom('directory_claims').select(CLAIM_COLUMNS).where('publisher_domain', '=', domain).execute()
}
