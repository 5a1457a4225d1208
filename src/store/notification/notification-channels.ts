import type { Channel, NotificationKind } from '../../domain/notification/notification.ts'
import type { Db } from '../database.ts'
import type { NotificationTables } from './rows.ts'

/** A person's channel for one publisher. `address` is sealed. */
export interface NotificationChannel {
  readonly tenantId: string
  readonly personId: string
  readonly channel: Channel
  readonly address: string
  readonly kinds: readonly NotificationKind[]
  /** Undefined: at once. */
  readonly digestHour: number | undefined
  readonly updatedAt: string
}

/** Where a sealed address belongs, so that it opens in no other row. */
export function addressPlace({
  tenantId,
  personId,
  channel,
}: Pick<NotificationChannel, 'tenantId' | 'personId'> & { readonly channel: string }): string {
  return `notification_channels/${tenantId}/${personId}/${channel}`
}

/** Adds a channel, or takes the place of the one that the person has. */
export async function saveChannel(tx: Db, channel: NotificationChannel): Promise<void> {
  const values = {
    address: channel.address,
    kinds: JSON.stringify(channel.kinds),
    digest_hour: channel.digestHour ?? null,
    updated_at: channel.updatedAt,
  }
  await tx
    .insertInto('notification_channels')
    .values({ tenant_id: channel.tenantId, person_id: channel.personId, channel: channel.channel, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'person_id', 'channel']).doUpdateSet(values))
    .execute()
}

/** Removes a channel and what was collected for it. False when there is none. */
export async function deleteChannel(tx: Db, tenantId: string, personId: string, channel: Channel): Promise<boolean> {
  await tx
    .deleteFrom('notification_items')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .where('channel', '=', channel)
    .execute()
  const { numDeletedRows } = await tx
    .deleteFrom('notification_channels')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .where('channel', '=', channel)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Channels of a publisher, of one person when that is given. */
export async function channelsOf(db: Db, tenantId: string, personId?: string): Promise<NotificationChannel[]> {
  let query = db.selectFrom('notification_channels').selectAll().where('tenant_id', '=', tenantId)
  if (personId !== undefined) query = query.where('person_id', '=', personId)
  return (await query.orderBy('person_id').orderBy('channel').execute()).map(channelOf)
}

/** Channels of a person, for whatever publisher. */
export async function channelsOfPerson(db: Db, personId: string): Promise<NotificationChannel[]> {
  const rows = await db
    .selectFrom('notification_channels')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('tenant_id')
    .orderBy('channel')
    .execute()
  return rows.map(channelOf)
}

/** One channel of a person, if there is one. */
export async function findChannel(
  db: Db,
  tenantId: string,
  personId: string,
  channel: Channel,
): Promise<NotificationChannel | undefined> {
  return (await channelsOf(db, tenantId, personId)).find((each) => each.channel === channel)
}

/** Publishers with at least one channel: nothing is examined for the others. */
export async function tenantsWithChannels(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('notification_channels').select('tenant_id').distinct().orderBy('tenant_id').execute()
  return rows.map((row) => row.tenant_id)
}

function channelOf(row: NotificationTables['notification_channels']): NotificationChannel {
  return {
    tenantId: row.tenant_id,
    personId: row.person_id,
    channel: row.channel,
    address: row.address,
    kinds: JSON.parse(row.kinds),
    digestHour: row.digest_hour ?? undefined,
    updatedAt: row.updated_at,
  }
}
