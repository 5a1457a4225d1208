import { sql } from 'kysely'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import { leasedTo, NOT_LEASED, unleased } from '../leases.ts'

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
  const due = await dueOf(tx, request, 0)
  // Names that nothing but a selector mentions wait until no other is due.
  if (due.length < request.limit) due.push(...(await dueOf(tx, { ...request, limit: request.limit - due.length }, 1)))
  if (due.length === 0) return []
  const leased = await tx
    .updateTable('directory_publishers')
    .set(leasedTo(request.owner, request.now, request.leaseMs))
    .where('publisher_domain', 'in', due)
    .where(unleased('directory_publishers', request.now))
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
    .where(unleased('directory_publishers', now))
    .$if(domain !== undefined, (query) => query.where('publisher_domain', '=', domain ?? ''))
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.publisher_domain)
}

/** Who holds publishers that are due. */
export async function listLeaseOwners(db: Db, now: Date): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('directory_publishers')
    .select('lease_owner')
    .distinct()
    .where('priority', 'in', [0, 1])
    .where('next_attempt_at', '<=', now.toISOString())
    .where('lease_until', '>=', now.toISOString())
    .execute()
  return rows.flatMap(({ lease_owner: owner }) => owner ?? [])
}

/** Ends the leases of owners that are gone, of publishers and of the files that they were fetching. */
export async function endLeases(tx: Db, owners: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(owners)) {
    await tx.updateTable('directory_publishers').set(NOT_LEASED).where('lease_owner', 'in', chunk).execute()
    await tx.updateTable('directory_documents').set(NOT_LEASED).where('lease_owner', 'in', chunk).execute()
  }
}

/** Gives names back that were leased and not visited, to be handed out again from `dueAt` on. */
export async function postpone(tx: Db, domains: readonly string[], owner: string, dueAt: Date): Promise<void> {
  for (const chunk of chunksOf(domains)) {
    await tx
      .updateTable('directory_publishers')
      .set({ ...NOT_LEASED, next_attempt_at: dueAt.toISOString() })
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
