import type { Kysely } from 'kysely'

/** The publisher's own list of products, page by page in the order of the file: without the index each page sorts all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('products_in_order')
    .on('products')
    .columns(['tenant_id', 'owner', 'position', 'product_id', 'removed_at'])
    .execute()
}
