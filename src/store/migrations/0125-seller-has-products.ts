import type { Kysely } from 'kysely'

/** "Catalog" is the buyer's word in AdCP; what a seller offers are products, signals and brands. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('catalogues').renameTo('publisher_inventory').execute()
  await db.schema.alterTable('signal_catalogues').renameTo('signal_revisions').execute()
  await db.schema.alterTable('brand_catalogues').renameTo('brand_revisions').execute()
  await db.schema.alterTable('tenants').renameColumn('catalogue_revision', 'products_revision').execute()
}
