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

/**
 * Puts domains on the crawl list, due at `dueAt(index)`. Domains already on it stay as they are. Returns how many are new.
 */
export async function addPublishers(
  tx: Db,
  domains: readonly string[],
  origin: DirectoryPublisherRow['origin'],
  now: Date,
  dueAt: (index: number) => Date,
): Promise<number> {
  const rows = domains.map((publisher_domain, index) => ({
    ...newPublisher(publisher_domain, origin, now),
    next_attempt_at: dueAt(index).toISOString(),
  }))
  let added = 0
  for (const chunk of chunksOf(rows)) {
    const inserted = await tx
      .insertInto('directory_publishers')
      .values(chunk)
      .onConflict((conflict) => conflict.column('publisher_domain').doNothing())
      .returning('publisher_domain')
      .execute()
    added += inserted.length
  }
  return added
}

function newPublisher(publisher_domain: string, origin: DirectoryPublisherRow['origin'], now: Date): DirectoryPublisherRow {
  return {
    publisher_domain,
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
    next_attempt_at: now.toISOString(),
    lease_owner: null,
    lease_until: null,
    added_at: now.toISOString(),
  }
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
  const due = await tx
    .selectFrom('directory_publishers')
    .select('publisher_domain')
    .where('next_attempt_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .$if(request.domain !== undefined, (query) => query.where('publisher_domain', '=', request.domain ?? ''))
    .orderBy('next_attempt_at')
    .limit(request.limit)
    .execute()
  if (due.length === 0) return []
  const leased = await tx
    .updateTable('directory_publishers')
    .set({ lease_owner: request.owner, lease_until: new Date(request.now.getTime() + request.leaseMs).toISOString() })
    .where(
      'publisher_domain',
      'in',
      due.map((row) => row.publisher_domain),
    )
    // Said again: on PostgreSQL another worker may have been faster between the two statements.
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .returning('publisher_domain')
    .execute()
  return leased.map((row) => row.publisher_domain)
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
