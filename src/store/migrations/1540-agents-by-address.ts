import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** Agents of one host are found without reading all others: addresses sort by their bytes on either database. */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter)
    await sql`alter table directory_agents alter column agent_url type text collate "C"`.execute(db)
  await db.schema.createIndex('directory_agents_by_address').on('directory_agents').columns(['agent_url']).execute()
}
