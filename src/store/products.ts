import { setImmediate as otherWork } from 'node:timers/promises'
import type { FormatType } from '../domain/creative/formats/format.ts'
import type {
  CatalogueDocument,
  CollectionDocument,
  PlanDocument,
  ProductDocument,
  PropertyDocument,
  Publisher,
} from '../domain/product/catalogue-file.ts'
import type { Db } from './database.ts'

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
  seeded_formats: {
    tenant_id: string
    owner: string
    format_id: string
    document: string
  }
}

/** A format that the compliance controller seeded for one sandbox principal. */
export interface SeededFormat {
  readonly id: string
  readonly name: string
  readonly type: FormatType
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

/** Products that were seeded for one sandbox principal. */
export function loadSeededProducts(db: Db, tenantId: string, principalId: string): Promise<ProductDocument[]> {
  return loadProducts(db, tenantId, principalId, (document) => document)
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

/** Formats that were seeded for one sandbox principal. */
export async function loadSeededFormats(db: Db, tenantId: string, principalId: string): Promise<SeededFormat[]> {
  const rows = await db
    .selectFrom('seeded_formats')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', principalId)
    .orderBy('format_id')
    .execute()
  return rows.map((row) => JSON.parse(row.document))
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

/**
 * Replaces a tenant's catalogue with an imported one. Products that it no longer lists stay for the media buys that refer to
 * them, unless `merge` keeps them on sale. Parts that the file leaves out (publisher, properties, collections, plans) stay as they are,
 * and so does the row of a product that the file has as it is: what changed can be told by its revision.
 */
export async function saveCatalogue(
  tx: Db,
  tenantId: string,
  catalogue: CatalogueDocument,
  options: { readonly merge: boolean },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const revision = await nextRevision(tx, tenantId)
  if (!options.merge)
    await removeOthers(tx, tenantId, new Set(catalogue.products.map((product) => product.product_id)), { at, revision })
  for (const [position, document] of catalogue.products.entries()) {
    await upsertProduct(tx, tenantId, '', { position, document, at, revision })
  }
  const previous = await headRow(tx, tenantId)
  const values = {
    publisher: catalogue.publisher ? JSON.stringify(catalogue.publisher) : (previous?.publisher ?? null),
    properties: catalogue.properties ? JSON.stringify(catalogue.properties) : (previous?.properties ?? '[]'),
    collections: catalogue.collections ? JSON.stringify(catalogue.collections) : (previous?.collections ?? '[]'),
    plans: catalogue.plans ? JSON.stringify(catalogue.plans) : (previous?.plans ?? '[]'),
    updated_at: at,
  }
  await tx
    .insertInto('catalogues')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((c) => c.column('tenant_id').doUpdateSet(values))
    .execute()
  await touchCatalogue(tx, tenantId)
}

/** Takes the products that a file does not list off sale. */
async function removeOthers(
  tx: Db,
  tenantId: string,
  listed: ReadonlySet<string>,
  { at, revision }: { readonly at: string; readonly revision: number },
): Promise<void> {
  const onSale = await tx
    .selectFrom('products')
    .select('product_id')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .where('removed_at', 'is', null)
    .execute()
  for (const { product_id } of onSale) {
    if (listed.has(product_id)) continue
    await tx
      .updateTable('products')
      .set({ removed_at: at, revision })
      .where('tenant_id', '=', tenantId)
      .where('owner', '=', '')
      .where('product_id', '=', product_id)
      .execute()
  }
}

/** The revision that the change under way will give the catalogue. */
async function nextRevision(tx: Db, tenantId: string): Promise<number> {
  const row = await tx.selectFrom('tenants').select('catalogue_revision').where('tenant_id', '=', tenantId).executeTakeFirst()
  return Number(row?.catalogue_revision ?? 0) + 1
}

function headRow(tx: Db, tenantId: string) {
  return tx.selectFrom('catalogues').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
}

/** Adds or replaces a product that only one sandbox principal sees. */
export async function seedProduct(
  tx: Db,
  tenantId: string,
  principalId: string,
  document: ProductDocument,
  now: Date,
): Promise<void> {
  await upsertProduct(tx, tenantId, principalId, {
    position: 0,
    document,
    at: now.toISOString(),
    revision: await nextRevision(tx, tenantId),
  })
  await touchCatalogue(tx, tenantId)
}

/** Adds or replaces a format that only one sandbox principal sees. */
export async function seedFormat(tx: Db, tenantId: string, principalId: string, format: SeededFormat): Promise<void> {
  const document = JSON.stringify(format)
  await tx
    .insertInto('seeded_formats')
    .values({ tenant_id: tenantId, owner: principalId, format_id: format.id, document })
    .onConflict((c) => c.columns(['tenant_id', 'owner', 'format_id']).doUpdateSet({ document }))
    .execute()
  await touchCatalogue(tx, tenantId)
}

interface ProductRow {
  readonly position: number
  readonly document: ProductDocument
  readonly at: string
  readonly revision: number
}

/** Writes a product; a row that holds it already stays untouched. */
async function upsertProduct(tx: Db, tenantId: string, owner: string, { position, document, at, revision }: ProductRow) {
  const values = { position, document: JSON.stringify(document), removed_at: null, updated_at: at, revision }
  await tx
    .insertInto('products')
    .values({ tenant_id: tenantId, owner, product_id: document.product_id, created_at: at, ...values })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'owner', 'product_id'])
        .doUpdateSet(values)
        .where((eb) =>
          eb.or([
            eb('products.document', '<>', values.document),
            eb('products.position', '<>', position),
            eb('products.removed_at', 'is not', null),
          ]),
        ),
    )
    .execute()
}

/** Every change of a catalogue gets a new revision: caches are keyed by it. */
export async function touchCatalogue(tx: Db, tenantId: string): Promise<void> {
  await tx
    .updateTable('tenants')
    .set((eb) => ({ catalogue_revision: eb('catalogue_revision', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .execute()
}
