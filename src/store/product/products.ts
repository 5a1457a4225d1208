import { setImmediate as otherWork } from 'node:timers/promises'
import type {
  CollectionDocument,
  PlanDocument,
  ProductDocument,
  PropertyDocument,
  Publisher,
} from '../../domain/product/catalogue-file.ts'
import type { Db } from '../database.ts'

export interface ProductTables {
  catalogues: {
    tenant_id: string
    publisher: string | null
    properties: string
    collections: string
    plans: string
    updated_at: string
  }
  products: {
    tenant_id: string
    /** '' for the tenant's catalogue, else the sandbox principal that the product was seeded for. */
    owner: string
    product_id: string
    position: number
    document: string
    /** Set when an import no longer lists the product; media buys may still refer to it. */
    removed_at: string | null
    /** Revision of the catalogue at the last change of this row. */
    revision: number
    created_at: string
    updated_at: string
  }
}

/** What the store holds of a catalogue: the file's parts, and products that only media buys still refer to. */
export interface StoredCatalogue {
  readonly publisher: Publisher | undefined
  readonly properties: readonly PropertyDocument[]
  readonly collections: readonly CollectionDocument[]
  readonly plans: readonly PlanDocument[]
  readonly products: readonly ProductDocument[]
  readonly removed: readonly ProductDocument[]
}

/** A catalogue without its products. */
export type CatalogueHead = Omit<StoredCatalogue, 'products' | 'removed'>

/** The tenant's own catalogue, in the order of its file. */
export async function loadCatalogue(db: Db, tenantId: string): Promise<StoredCatalogue> {
  const head = await loadCatalogueHead(db, tenantId)
  const all = await loadProducts(db, tenantId, '', (document, { removed }) => ({ document, removed }))
  const documents = (removed: boolean) => all.filter((one) => one.removed === removed).map(({ document }) => document)
  return { ...head, products: documents(false), removed: documents(true) }
}

/** What a catalogue says of its publisher. */
export async function loadCatalogueHead(db: Db, tenantId: string): Promise<CatalogueHead> {
  const head = await headRow(db, tenantId)
  return {
    publisher: head?.publisher ? JSON.parse(head.publisher) : undefined,
    properties: head ? JSON.parse(head.properties) : [],
    collections: head ? JSON.parse(head.collections) : [],
    plans: head ? JSON.parse(head.plans) : [],
  }
}

/** A product of the catalogue that is on sale or paused. */
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

/** Rows of one read: few milliseconds on the embedded store, which answers nobody else meanwhile. */
const PRODUCTS_AT_A_TIME = 64

/**
 * What `read` makes of every product of an owner, in the order of the file. Other work of the process runs in between, so a change that
 * comes meanwhile may be in it or not; it has a revision of its own.
 */
export async function loadProducts<T>(
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
    if (after !== undefined) await otherWork()
  } while (after !== undefined)
  // They come in the order of their ids, which decides among equal positions.
  return all.sort((a, b) => a.position - b.position).map(({ made }) => made)
}

/** A row of the catalogue as it is since some revision. */
export interface ChangedProduct {
  readonly id: string
  readonly position: number
  readonly removed: boolean
  readonly document: ProductDocument
}

/** Products of the tenant's own catalogue that changed after a revision, `most` at most. */
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

/** The row that holds what a catalogue says of its publisher. */
export function headRow(tx: Db, tenantId: string) {
  return tx.selectFrom('catalogues').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
}
