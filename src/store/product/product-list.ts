import { sql } from 'kysely'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'

/** Where a product is in the list. */
export interface ProductPosition {
  readonly position: number
  readonly productId: string
}

export interface ListedProduct extends ProductPosition {
  readonly document: ProductDocument
}

export interface ProductPage {
  /** Words in small letters; each is somewhere in the text of the product. */
  readonly words: readonly string[]
  readonly after: ProductPosition | undefined
  readonly limit: number
}

/** The tenant's own products in the order of their file, archived ones too; not those that an import took away. */
export async function listOwnProducts(db: Db, tenantId: string, page: ProductPage): Promise<ListedProduct[]> {
  const found: ListedProduct[] = []
  for (let after = page.after; ; ) {
    const rows = await searchStretch(db, tenantId, { ...page, after, limit: page.limit - found.length })
    found.push(
      ...rows.map(({ position, product_id: productId, document }) => ({ position, productId, document: JSON.parse(document) })),
    )
    if (found.length === page.limit) return found
    const end = await productsAfter(db, tenantId, after)
      .select(['position', 'product_id'])
      .limit(1)
      .offset(STRETCH - 1)
      .executeTakeFirst()
    if (!end) return found
    after = { position: end.position, productId: end.product_id }
  }
}

/**
 * Products that one statement looks through for words. A statement over all of them is planned by PostgreSQL for a few hits that it has to sort, and reads the
 * documents of every product for a page.
 */
const STRETCH = 500

/** The products among the next {@link STRETCH} of the list that have all words, in its order. */
function searchStretch(db: Db, tenantId: string, { words, after, limit }: ProductPage) {
  const stretch = productsAfter(db, tenantId, after).select(['position', 'product_id', 'document']).limit(STRETCH).as('products')
  let query = db.selectFrom(stretch).select(['position', 'product_id', 'document'])
  for (const word of words) query = query.where(sql<boolean>`lower(document) like ${`%${literal(word)}%`} escape '\\'`)
  return query.orderBy('position').orderBy('product_id').limit(limit).execute()
}

/** The list after a position. */
function productsAfter(db: Db, tenantId: string, after: ProductPosition | undefined) {
  const sorted = ownProducts(db, tenantId).orderBy('position').orderBy('product_id')
  if (!after) return sorted
  const { position, productId } = after
  return sorted
    .where('position', '>=', position)
    .where((eb) => eb.or([eb('position', '>', position), eb('product_id', '>', productId)]))
}

/** The same product with its place; undefined when the tenant has none of this id, or an import took it away. */
export async function findOwnProduct(db: Db, tenantId: string, productId: string): Promise<ListedProduct | undefined> {
  const row = await ownProducts(db, tenantId)
    .select(['position', 'document'])
    .where('product_id', '=', productId)
    .executeTakeFirst()
  return row && { position: row.position, productId, document: JSON.parse(row.document) }
}

/** Names of those of the named products that the tenant has, by id. */
export async function namesOfProducts(db: Db, tenantId: string, productIds: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const ids of chunksOf(productIds)) {
    const rows = await ownProducts(db, tenantId).select(['product_id', 'document']).where('product_id', 'in', ids).execute()
    for (const { product_id: id, document } of rows) {
      const { name }: ProductDocument = JSON.parse(document)
      names.set(id, name)
    }
  }
  return names
}

/** Ids of the tenant's own products. */
export async function listProductIds(db: Db, tenantId: string): Promise<string[]> {
  const rows = await ownProducts(db, tenantId).select('product_id').execute()
  return rows.map(({ product_id: id }) => id)
}

/** The tenant's own products that name placements, in the order of their file; with `placementId` those whose text has its id. */
export async function productsWithPlacements(db: Db, tenantId: string, placementId?: string): Promise<ProductDocument[]> {
  const member = `"placement_id":${placementId === undefined ? '' : JSON.stringify(placementId)}`
  const rows = await ownProducts(db, tenantId)
    .select('document')
    .where(sql<boolean>`document like ${`%${literal(member)}%`} escape '\\'`)
    .orderBy('position')
    .orderBy('product_id')
    .execute()
  return rows.map(({ document }) => JSON.parse(document))
}

export async function countOwnProducts(db: Db, tenantId: string): Promise<number> {
  const row = await ownProducts(db, tenantId)
    .select((eb) => eb.fn.countAll().as('total'))
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}

function ownProducts(db: Db, tenantId: string) {
  return db.selectFrom('products').where('tenant_id', '=', tenantId).where('owner', '=', '').where('removed_at', 'is', null)
}

/** A word of a search in which `%` and `_` stand for themselves. */
function literal(word: string): string {
  return word.replaceAll(/[\\%_]/g, '\\$&')
}
