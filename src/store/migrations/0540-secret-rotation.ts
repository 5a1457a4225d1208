import type { Kysely } from 'kysely'

/** Rotation of the deployment's secret: what outlives it, which rotations there were, and which processes have which secrets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lasting_keys')
    .addColumn('purpose', 'text', (c) => c.primaryKey())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('secret_rotations')
    .addColumn('secret_id', 'text', (c) => c.primaryKey())
    .addColumn('previous_id', 'text', (c) => c.notNull())
    .addColumn('switched_at', 'text', (c) => c.notNull())
    .addColumn('resealed_at', 'text')
    .addColumn('retired_at', 'text')
    .execute()
  await db.schema
    .createTable('secret_holders')
    .addColumn('holder_id', 'text', (c) => c.primaryKey())
    .addColumn('machine', 'text', (c) => c.notNull())
    .addColumn('pid', 'integer', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('seals', 'text', (c) => c.notNull())
    .addColumn('opens', 'text', (c) => c.notNull())
    .addColumn('seen_at', 'text', (c) => c.notNull())
    .execute()
}
