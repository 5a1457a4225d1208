import type { Kysely } from 'kysely'

/** What the address that packages are synced to hides lies sealed beside the rest. Addresses of before are parted at the next start, which has the secret. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('match_providers').addColumn('sync_query', 'text').execute()
}
