import { sql } from 'kysely'
import type { ProductDocument } from '../../domain/product/products-file.ts'
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
  const { words, after, limit } = page
  let query = ownProducts(db, tenantId).select(['position', 'product_id', 'document'])
  for (const word of words) query = query.where(sql<boolean>`lower(document) like ${`%${literal(word)}%`} escape '\\'`)
  if (after) {
    const { position, productId } = after
    query = query
      .where('position', '>=', position)
      .where((eb) => eb.or([eb('position', '>', position), eb('product_id', '>', productId)]))
  }
  const rows = await query.orderBy('position').orderBy('product_id').limit(limit).execute()
  return rows.map(({ position, product_id: productId, document }) => ({ position, productId, document: JSON.parse(document) }))
}

/** The same product with its place; undefined when the tenant has none of this id, or an import took it away. */
export async function findOwnProduct(db: Db, tenantId: string, productId: string): Promise<ListedProduct | undefined> {
  const row = await ownProducts(db, tenantId)
    .select(['position', 'document'])
    .where('product_id', '=', productId)
    .executeTakeFirst()
  return row && { position: row.position, productId, document: JSON.parse(row.document) }
}

/** Ids of the tenant's own products. */
export async function listProductIds(db: Db, tenantId: string): Promise<string[]> {
  const rows = await ownProducts(db, tenantId).select('product_id').execute()
  return rows.map(({ product_id: id }) => id)
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
