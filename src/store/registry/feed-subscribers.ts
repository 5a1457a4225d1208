import type { Db } from '../database.ts'
import { changeRow } from '../leases.ts'
import type { FeedSubscriberRow } from './rows.ts'

/** Place of the query of a subscriber's address, for sealing it: it opens in no other row. */
export function subscriberPlace(subscriberId: string): string {
  return `feed_subscribers/${subscriberId}/query`
}

export async function addSubscriber(tx: Db, row: FeedSubscriberRow): Promise<void> {
  await tx.insertInto('feed_subscribers').values(row).execute()
}

/** Whether there was one of this id and publisher. */
export async function deleteSubscriber(tx: Db, tenantId: string | null, subscriberId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('feed_subscribers')
    .where('tenant_id', tenantId === null ? 'is' : '=', tenantId)
    .where('subscriber_id', '=', subscriberId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Subscribers of a publisher's changes; null: of the feed of the directory. */
export async function listSubscribers(db: Db, tenantId: string | null): Promise<FeedSubscriberRow[]> {
  return db
    .selectFrom('feed_subscribers')
    .selectAll()
    .where('tenant_id', tenantId === null ? 'is' : '=', tenantId)
    .orderBy('added_at')
    .orderBy('subscriber_id')
    .execute()
}

/**
 * Subscribers that have not taken the last event (`last`: of the feed) and may be sent to now, those that have waited longest
 * first.
 */
export async function listDueSubscribers(db: Db, last: number, now: Date, limit: number): Promise<FeedSubscriberRow[]> {
  return db
    .selectFrom('feed_subscribers')
    .selectAll()
    .where(({ eb, and, or, exists, selectFrom }) =>
      or([
        and([eb('tenant_id', 'is', null), eb('position', '<', last)]),
        exists(
          selectFrom('audit_log')
            .select('audit_log.seq')
            .whereRef('audit_log.tenant_id', '=', 'feed_subscribers.tenant_id')
            .whereRef('audit_log.seq', '>', 'feed_subscribers.position'),
        ),
      ]),
    )
    .where('next_attempt_at', '<=', now.toISOString())
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()
}

/** Takes a subscriber for one attempt; false when another process has it, or it is gone. */
export async function leaseSubscriber(tx: Db, row: FeedSubscriberRow, until: Date): Promise<boolean> {
  const { subscriber_id, next_attempt_at, position } = row
  const seen = { subscriber_id, next_attempt_at, position }
  return changeRow(tx, 'feed_subscribers', seen, { next_attempt_at: until.toISOString() })
}

/** Writes how an attempt ended, if the lease of it still holds: another process may have taken over after it. */
export async function endAttempt(
  tx: Db,
  { subscriber_id, position }: FeedSubscriberRow,
  leasedUntil: Date,
  result: Partial<Pick<FeedSubscriberRow, 'position' | 'failures' | 'next_attempt_at' | 'last_status' | 'last_error'>>,
): Promise<void> {
  const held = { subscriber_id, position, next_attempt_at: leasedUntil.toISOString() }
  await changeRow(tx, 'feed_subscribers', held, result)
}
