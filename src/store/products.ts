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

/** The tenant's own catalogue, in the order of its file. */
export async function loadCatalogue(db: Db, tenantId: string): Promise<StoredCatalogue> {
  const head = await db.selectFrom('catalogues').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  const rows = await productRows(db, tenantId, '')
  const parsed = (removed: boolean): ProductDocument[] =>
    rows.filter((row) => (row.removed_at !== null) === removed).map((row) => JSON.parse(row.document))
  return {
    publisher: head?.publisher ? JSON.parse(head.publisher) : undefined,
    properties: head ? JSON.parse(head.properties) : [],
    collections: head ? JSON.parse(head.collections) : [],
    plans: head ? JSON.parse(head.plans) : [],
    products: parsed(false),
    removed: parsed(true),
  }
}

/** Products that were seeded for one sandbox principal. */
export async function loadSeededProducts(db: Db, tenantId: string, principalId: string): Promise<ProductDocument[]> {
  return (await productRows(db, tenantId, principalId)).map((row) => JSON.parse(row.document))
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

function productRows(db: Db, tenantId: string, owner: string) {
  return db
    .selectFrom('products')
    .select(['document', 'removed_at'])
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', owner)
    .orderBy('position')
    .orderBy('product_id')
    .execute()
}

/**
 * Replaces a tenant's catalogue with an imported one. Products that it no longer lists stay for the media buys that refer to
 * them, unless `merge` keeps them on sale. Parts that the file leaves out (publisher, properties, collections, plans) stay as they are.
 */
export async function saveCatalogue(
  tx: Db,
  tenantId: string,
  catalogue: CatalogueDocument,
  options: { readonly merge: boolean },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  if (!options.merge) {
    await tx
      .updateTable('products')
      .set({ removed_at: at })
      .where('tenant_id', '=', tenantId)
      .where('owner', '=', '')
      .where('removed_at', 'is', null)
      .execute()
  }
  for (const [position, document] of catalogue.products.entries()) await upsertProduct(tx, tenantId, '', position, document, at)
  const previous = await loadHead(tx, tenantId)
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

function loadHead(tx: Db, tenantId: string) {
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
  await upsertProduct(tx, tenantId, principalId, 0, document, now.toISOString())
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

async function upsertProduct(tx: Db, tenantId: string, owner: string, position: number, product: ProductDocument, at: string) {
  const document = JSON.stringify(product)
  await tx
    .insertInto('products')
    .values({
      tenant_id: tenantId,
      owner,
      product_id: product.product_id,
      position,
      document,
      removed_at: null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((c) =>
      c.columns(['tenant_id', 'owner', 'product_id']).doUpdateSet({ position, document, removed_at: null, updated_at: at }),
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
