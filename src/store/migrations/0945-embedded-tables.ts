import { type Kysely, PostgresAdapter, sql } from 'kysely'

/** What comes after `house_` or `embedded_` in their names. */
export const RENAMED = [
  ...['versions', 'orders', 'lines', 'creatives', 'associations', 'events', 'hours', 'totals', 'exposures'],
  ...['files', 'file_parts', 'bundle_files', 'file_uses', 'lists'],
]

/** Tables of the embedded ad server have its name, with their indexes: `house` is a priority of lines, and the house of a brand. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of RENAMED) await db.schema.alterTable(`house_${table}`).renameTo(`embedded_${table}`).execute()
  if (db.getExecutor().adapter instanceof PostgresAdapter) await renameIndexes(db)
  else await remakeIndexes(db)
}

const renamed = (name: string) => name.replace('house_', 'embedded_')

/** Those of primary keys too. */
async function renameIndexes(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes
    where schemaname = current_schema() and indexname like ${'house\\_%'}`.execute(db)
  for (const { name } of rows) await sql`alter index ${sql.ref(name)} rename to ${sql.ref(renamed(name))}`.execute(db)
}

/** SQLite renames no index; those of primary keys have no name of their own. */
async function remakeIndexes(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'index' and sql is not null and name like ${'house\\_%'} escape '\\'`.execute(db)
  for (const { name, sql: made } of rows) {
    await db.schema.dropIndex(name).execute()
    await sql.raw(made.replace(name, renamed(name))).execute(db)
  }
}
