import { randomUUID } from 'node:crypto'
import type { DeliveryState } from '../../domain/delivery-state.ts'
import type { Channel, NotificationDocument } from '../../domain/notification/notification.ts'
import type { AttemptResult } from '../../domain/webhook/retry.ts'
import type { Db, Store } from '../database.ts'
import { later, takeLeases, takeRow } from '../leases.ts'
import { attemptBegun, returnMessage, type SettleOptions, settleMessage } from '../outbox-messages.ts'
import type { NotificationTables } from './rows.ts'

/** A message to one person over one channel. */
export interface NotificationMessage {
  readonly deliveryId: string
  readonly tenantId: string
  readonly personId: string
  readonly channel: Channel
  readonly document: NotificationDocument
  readonly state: DeliveryState
  /** Attempts that were made, the present one included. */
  readonly attempts: number
  readonly nextAttemptAt: string
  readonly lastStatus: number | undefined
  readonly lastError: string | undefined
  readonly createdAt: string
  readonly settledAt: string | undefined
  /** Id of the report that is attached. */
  readonly reportFile: string | undefined
}

export interface LeasedMessage extends NotificationMessage {
  readonly lease: string
}

/** Writes a message; it is due at once. Returns its id. */
export async function enqueueMessage(
  tx: Db,
  to: Pick<NotificationMessage, 'tenantId' | 'personId' | 'channel'> & Partial<Pick<NotificationMessage, 'reportFile'>>,
  document: NotificationDocument,
  now: Date,
): Promise<string> {
  const deliveryId = `ntf_${randomUUID()}`
  await tx
    .insertInto('notification_outbox')
    .values({
      delivery_id: deliveryId,
      tenant_id: to.tenantId,
      person_id: to.personId,
      channel: to.channel,
      document: JSON.stringify(document),
      state: 'pending',
      attempts: 0,
      next_attempt_at: now.toISOString(),
      lease: null,
      last_status: null,
      last_error: null,
      created_at: now.toISOString(),
      settled_at: null,
      report_file: to.reportFile ?? null,
    })
    .execute()
  return deliveryId
}

/** A mail of some megabytes takes longer than any other message over a slow line. */
const FILE_LEASE_MS = 5 * 60_000

/** Leases messages that are due, the longest due first. Several processes may ask at once; each message goes to one of them. */
export async function leaseMessages(
  store: Store,
  { now, leaseMs, limit }: { readonly now: Date; readonly leaseMs: number; readonly limit: number },
): Promise<LeasedMessage[]> {
  const due = await store.read
    .selectFrom('notification_outbox')
    .select(['delivery_id', 'next_attempt_at', 'attempts', 'report_file'])
    .where('state', '=', 'pending')
    .where('next_attempt_at', '<=', now.toISOString())
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()
  return takeLeases(store, due, async (tx, row, lease) => {
    const until = later(now, row.report_file === null ? leaseMs : Math.max(leaseMs, FILE_LEASE_MS))
    const { seen, change } = attemptBegun(row, lease, until)
    const taken = await takeRow(tx, 'notification_outbox', seen, change)
    return taken && { ...messageOf(taken), lease }
  })
}

/** Writes what an attempt came to. Undefined when the lease was lost: another process has the message, and its result counts. */
export async function settleNotification(
  tx: Db,
  message: LeasedMessage,
  result: AttemptResult,
  options: SettleOptions,
): Promise<DeliveryState | undefined> {
  return settleMessage(tx, 'notification_outbox', message, result, options)
}

/** Gives a lease back unused, e.g. at shutdown: the attempt does not count. */
export async function returnNotification(tx: Db, message: LeasedMessage, now: Date): Promise<void> {
  await returnMessage(tx, 'notification_outbox', message, now)
}

/** Messages of a publisher, newest first; of one person when that is given. */
export async function listMessages(
  db: Db,
  tenantId: string,
  filter: {
    readonly personId?: string | undefined
    readonly state?: DeliveryState | undefined
    readonly limit: number
  },
): Promise<NotificationMessage[]> {
  let query = db.selectFrom('notification_outbox').selectAll().where('tenant_id', '=', tenantId)
  if (filter.personId !== undefined) query = query.where('person_id', '=', filter.personId)
  if (filter.state !== undefined) query = query.where('state', '=', filter.state)
  const rows = await query.orderBy('created_at', 'desc').orderBy('delivery_id').limit(filter.limit).execute()
  return rows.map(messageOf)
}

/** Reports that were given up on their way to a person since a moment, newest first. */
export async function listFailedReports(db: Db, tenantId: string, since: Date, limit: number): Promise<NotificationMessage[]> {
  const rows = await db
    .selectFrom('notification_outbox')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'dead')
    .where('report_file', 'is not', null)
    .where('settled_at', '>', since.toISOString())
    .orderBy('created_at', 'desc')
    .orderBy('delivery_id')
    .limit(limit)
    .execute()
  return rows.map(messageOf)
}

/** Drops what was sent or given up before a moment. */
export async function sweepMessages(tx: Db, before: Date): Promise<void> {
  await tx
    .deleteFrom('notification_outbox')
    .where('state', '!=', 'pending')
    .where('settled_at', '<', before.toISOString())
    .execute()
}

function messageOf(row: NotificationTables['notification_outbox']): NotificationMessage {
  return {
    deliveryId: row.delivery_id,
    tenantId: row.tenant_id,
    personId: row.person_id,
    channel: row.channel,
    document: JSON.parse(row.document),
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
    createdAt: row.created_at,
    settledAt: row.settled_at ?? undefined,
    reportFile: row.report_file ?? undefined,
  }
}
