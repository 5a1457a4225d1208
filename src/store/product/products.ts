import type { PropertyDocument } from '../../domain/directory/property-document.ts'
import type { CollectionDocument, PlanDocument, ProductDocument, Publisher } from '../../domain/product/products-file.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'

/** What the store holds of an imported file: its parts, and products that only media buys still refer to. */
export interface StoredProducts {
  readonly publisher: Publisher | undefined
  readonly properties: readonly PropertyDocument[]
  readonly collections: readonly CollectionDocument[]
  readonly plans: readonly PlanDocument[]
  readonly products: readonly ProductDocument[]
  readonly removed: readonly ProductDocument[]
}

/** An imported file without its products. */
export type PublisherInventory = Omit<StoredProducts, 'products' | 'removed'>

/** The tenant's own products, in the order of their file. */
export async function loadStoredProducts(db: Db, tenantId: string): Promise<StoredProducts> {
  const head = await loadPublisherInventory(db, tenantId)
  const all = await loadProductRows(db, tenantId, '', (document, { removed }) => ({ document, removed }))
  const documents = (removed: boolean) => all.filter((one) => one.removed === removed).map(({ document }) => document)
  return { ...head, products: documents(false), removed: documents(true) }
}

/** What the imported file says of the publisher. */
export async function loadPublisherInventory(db: Db, tenantId: string): Promise<PublisherInventory> {
  const head = await headRow(db, tenantId)
  return {
    publisher: head?.publisher ? JSON.parse(head.publisher) : undefined,
    properties: head ? JSON.parse(head.properties) : [],
    collections: head ? JSON.parse(head.collections) : [],
    plans: head ? JSON.parse(head.plans) : [],
  }
}

/** A product of the tenant's own that is on sale or paused. */
export async function findProduct(db: Db, tenantId: string, productId: string): Promise<ProductDocument | undefined> {
  const row = await db
    .selectFrom('products')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .where('product_id', '=', productId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && JSON.parse(row.document)
}

/** Rows of one read: few milliseconds on the embedded store, which answers no other call meanwhile. */
const PRODUCTS_AT_A_TIME = 64

/**
 * What `read` makes of every product of an owner, in the order of the file. Other work of the process runs in between, so a change that
 * comes meanwhile may be in it or not; it has a revision of its own.
 */
export async function loadProductRows<T>(
  db: Db,
  tenantId: string,
  owner: string,
  read: (document: ProductDocument, place: { readonly removed: boolean; readonly position: number }) => T,
): Promise<T[]> {
  const all: { readonly position: number; readonly made: T }[] = []
  let after: string | undefined
  do {
    const rows = await productsAfter(db, tenantId, owner, after)
    for (const { position, document, removed_at } of rows) {
      all.push({ position, made: read(JSON.parse(document), { removed: removed_at !== null, position }) })
    }
    after = rows.length < PRODUCTS_AT_A_TIME ? undefined : rows.at(-1)?.product_id
    if (after !== undefined) await yieldToEventLoop()
  } while (after !== undefined)
  // They come in the order of their ids, which decides among equal positions.
  return all.sort((a, b) => a.position - b.position).map(({ made }) => made)
}

/** A product's row as it is since some revision. */
export interface ChangedProduct {
  readonly id: string
  readonly position: number
  readonly removed: boolean
  readonly document: ProductDocument
}

/** The tenant's own products that changed after a revision, `most` at most. */
export async function changedProducts(db: Db, tenantId: string, revision: number, most: number): Promise<ChangedProduct[]> {
  const rows = await db
    .selectFrom('products')
    .select(['product_id', 'position', 'document', 'removed_at'])
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .where('revision', '>', revision)
    .limit(most)
    .execute()
  return rows.map(({ product_id: id, position, document, removed_at }) => ({
    id,
    position,
    removed: removed_at !== null,
    document: JSON.parse(document),
  }))
}

/** Those of these products that changed or went after a revision; `owner`: the sandbox agent that others may be seeded for. */
export async function changedSince(
  db: Db,
  tenantId: string,
  owner: string,
  productIds: readonly string[],
  revision: number,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('products')
    .select('product_id')
    .where('tenant_id', '=', tenantId)
    .where('owner', 'in', ['', owner])
    .where('product_id', 'in', [...new Set(productIds)])
    .where('revision', '>', revision)
    .execute()
  return new Set(rows.map(({ product_id }) => product_id))
}

function productsAfter(db: Db, tenantId: string, owner: string, after: string | undefined) {
  return db
    .selectFrom('products')
    .select(['product_id', 'position', 'document', 'removed_at'])
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', owner)
    .$if(after !== undefined, (query) => query.where('product_id', '>', after ?? ''))
    .orderBy('product_id')
    .limit(PRODUCTS_AT_A_TIME)
    .execute()
}

/** The row that holds what the imported file says of the publisher. */
export function headRow(tx: Db, tenantId: string) {
  return tx.selectFrom('publisher_inventory').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
}
