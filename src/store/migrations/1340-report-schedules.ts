import type { Kysely } from 'kysely'

interface Before {
  notification_channels: { kinds: string }
}

/** Saved reports by mail: their schedules, the files that are attached, and which message has which file. */
export async function up(db: Kysely<Before>): Promise<void> {
  await db.schema
    .createTable('report_schedules')
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('report', 'text', (c) => c.notNull())
    .addColumn('every', 'text', (c) => c.notNull())
    .addColumn('weekday', 'text', (c) => c.notNull())
    .addColumn('month_day', 'integer', (c) => c.notNull())
    .addColumn('hour', 'integer', (c) => c.notNull())
    .addColumn('covers', 'text', (c) => c.notNull())
    .addColumn('people', 'text', (c) => c.notNull())
    .addColumn('set_by', 'text', (c) => c.notNull())
    .addColumn('set_at', 'text', (c) => c.notNull())
    .addColumn('next_at', 'text', (c) => c.notNull())
    .addColumn('try_at', 'text', (c) => c.notNull())
    .addColumn('claim', 'text')
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('last_sent_at', 'text')
    .addColumn('last_error', 'text')
    .addColumn('failed_at', 'text')
    .addPrimaryKeyConstraint('report_schedules_pk', ['tenant_id', 'report'])
    .addForeignKeyConstraint('report_schedules_report', ['tenant_id', 'report'], 'saved_reports', ['tenant_id', 'name'])
    .execute()
  await db.schema.createIndex('report_schedules_due').on('report_schedules').columns(['try_at']).execute()
  await db.schema
    .createTable('report_files')
    .addColumn('file_id', 'text', (c) => c.primaryKey())
    .addColumn('tenant_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('csv', 'text')
    .addColumn('xlsx', 'text')
    .addColumn('made_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('report_files_made').on('report_files').columns(['made_at']).execute()
  await db.schema.alterTable('notification_outbox').addColumn('report_file', 'text').execute()
  await widenChannels(db)
}

const BEFORE = JSON.stringify(['waiting', 'expiring', 'underdelivery', 'drift', 'webhook_failed'])
const AFTER = JSON.stringify(['waiting', 'expiring', 'underdelivery', 'drift', 'webhook_failed', 'report_failed'])

/** Whoever wants every kind of notification wants the new one too. */
async function widenChannels(db: Kysely<Before>): Promise<void> {
  await db.updateTable('notification_channels').set({ kinds: AFTER }).where('kinds', '=', BEFORE).execute()
}
