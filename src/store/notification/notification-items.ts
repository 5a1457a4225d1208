import { randomUUID } from 'node:crypto'
import {
  type Channel,
  MAX_ITEMS,
  type NotificationDocument,
  type NotificationItem,
  nextDigest,
} from '../../domain/notification/notification.ts'
import { deliveryZone } from '../ad-serving/delivery-sums.ts'
import type { Db } from '../database.ts'
import type { NotificationChannel } from './notification-channels.ts'

/** Collects an item for a channel: for a message now, or for the next daily summary, whose hour is of the publisher's time zone. */
export async function addItem(tx: Db, channel: NotificationChannel, item: NotificationItem, now: Date): Promise<void> {
  const dueAt =
    channel.digestHour === undefined ? now : nextDigest(now, channel.digestHour, await deliveryZone(tx, channel.tenantId))
  await tx
    .insertInto('notification_items')
    .values({
      item_id: `nti_${randomUUID()}`,
      tenant_id: channel.tenantId,
      person_id: channel.personId,
      channel: channel.channel,
      document: JSON.stringify(item),
      created_at: now.toISOString(),
      due_at: dueAt.toISOString(),
    })
    .execute()
}

interface DueChannel {
  readonly tenantId: string
  readonly personId: string
  readonly channel: Channel
}

/** Channels with items that are due. */
export async function dueChannels(db: Db, now: Date, limit: number): Promise<readonly DueChannel[]> {
  const rows = await db
    .selectFrom('notification_items')
    .select(['tenant_id', 'person_id', 'channel'])
    .distinct()
    .where('due_at', '<=', now.toISOString())
    .limit(limit)
    .execute()
  return rows.map((row) => ({ tenantId: row.tenant_id, personId: row.person_id, channel: row.channel }))
}

/** Takes the due items of a channel, as the document of one message; undefined when another process took them. */
export async function takeItems(
  tx: Db,
  { tenantId, personId, channel }: DueChannel,
  now: Date,
): Promise<Omit<NotificationDocument, 'isDigest'> | undefined> {
  const rows = await tx
    .deleteFrom('notification_items')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .where('channel', '=', channel)
    .where('due_at', '<=', now.toISOString())
    .returning(['document', 'created_at', 'item_id'])
    .execute()
  if (rows.length === 0) return undefined
  const inOrder = rows.toSorted((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0))
  const items: readonly NotificationItem[] = inOrder.slice(0, MAX_ITEMS).map((row) => JSON.parse(row.document))
  return { items, more: rows.length - items.length }
}
