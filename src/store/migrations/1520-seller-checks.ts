import type { Kysely } from 'kysely'

interface Before {
  notification_channels: { kinds: string }
}

/** Checks of this agent's own promises; whoever wants every kind of notification is told of broken ones too. */
export async function up(db: Kysely<Before>): Promise<void> {
  await db.schema
    .createTable('seller_checks')
    .addColumn('period', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text')
    .addColumn('started_at', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'text')
    .addColumn('held', 'text')
    .addColumn('broken', 'text')
    .addColumn('report', 'text')
    .addColumn('signature', 'text')
    .addColumn('public_key', 'text')
    .addColumn('page', 'text')
    .execute()
  await db.updateTable('notification_channels').set({ kinds: AFTER }).where('kinds', '=', BEFORE).execute()
}

const KINDS = ['waiting', 'expiring', 'underdelivery', 'drift', 'webhook_failed', 'report_failed']
const BEFORE = JSON.stringify(KINDS)
const AFTER = JSON.stringify([...KINDS, 'promise_broken'])
