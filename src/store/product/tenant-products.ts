import { declarer } from '../../domain/creative/canonical/declaration.ts'
import { customFormat } from '../../domain/creative/formats/custom-format.ts'
import { standardFormats } from '../../domain/creative/formats/standard-formats.ts'
import type { Product } from '../../domain/product/product.ts'
import { createIndexBuilder, type ProductIndex } from '../../domain/product/product-index.ts'
import { productOf } from '../../domain/product/products-file.ts'
import { publicProducts } from '../../domain/product/public-view.ts'
import { replaceInIndex } from '../../domain/product/replace-in-index.ts'
import { isStandardFormatOf } from '../../domain/product/standard-format.ts'
import type { Db } from '../database.ts'
import { forEachYielding } from '../yielding.ts'
import { loadCustomFormats } from './custom-formats.ts'
import type { ProductSnapshot } from './product-cache.ts'
import { changedProducts, loadProductRows, loadPublisherInventory, type PublisherInventory } from './products.ts'

/** A tenant's own products without anything seeded, and what following their changes takes. */
export interface TenantProducts
  extends Pick<ProductSnapshot, 'products' | 'byId' | 'formats' | 'declare' | 'index' | 'limitedIndex'>,
    PublisherInventory {
  readonly revision: number
  /** Position in the file of each of `products`. */
  readonly places: readonly number[]
  /** The index, once somebody has asked for it. */
  readonly built: () => Promise<ProductIndex> | undefined
}

export interface Tenant {
  readonly tenantId: string
  readonly productsRevision: number
}

/** Reads all of it. */
export async function loadTenantProducts(db: Db, tenant: Tenant, agentUrl: string): Promise<TenantProducts> {
  const rows = await loadProductRows(db, tenant.tenantId, '', (document, place) => ({
    product: productOf(document, agentUrl),
    ...place,
  }))
  const onSale = rows.filter(({ removed }) => !removed)
  const archived = rows.flatMap(({ product, removed }): Product[] =>
    removed ? [{ ...product, selling: { ...product.selling, status: 'archived' } }] : [],
  )
  const products = onSale.map(({ product }) => product)
  const places = onSale.map(({ position }) => position)
  const byId = new Map<string, Product>()
  await forEachYielding([...archived, ...products], (product) => byId.set(product.id, product))
  return { ...(await frameOf(db, tenant, agentUrl)), products, places, byId, ...indexesOf(products, agentUrl) }
}

/** Most products that are replaced one by one; with more, reading everything is about as quick. */
export const MOST_REPLACED = 200

/**
 * Brings products to the tenant's revision. Changes of few products that stay in their places are worked into what is there;
 * undefined when they are more than that.
 */
export async function followTenantProducts(
  db: Db,
  tenant: Tenant,
  agentUrl: string,
  before: TenantProducts,
): Promise<TenantProducts | undefined> {
  if (before.revision > tenant.productsRevision) return undefined
  const changed = await changedProducts(db, tenant.tenantId, before.revision, MOST_REPLACED + 1)
  if (changed.length > MOST_REPLACED) return undefined
  const frame = await frameOf(db, tenant, agentUrl)
  const { products, byId, places } = before
  if (changed.length === 0) return { ...before, ...frame }
  const positions = new Map(
    products.flatMap(({ id }, position) => (changed.some((row) => row.id === id) ? [[id, position]] : [])),
  )
  const replaced = new Map<number, Product>()
  for (const { id, position, removed, document } of changed) {
    const known = positions.get(id)
    if (known === undefined || removed || places[known] !== position) return undefined
    replaced.set(known, productOf(document, agentUrl))
  }
  const index = await before.built()
  const after = index && replaceInIndex(index, replaced)
  const now = after?.products ?? products.map((product, position) => replaced.get(position) ?? product)
  const nowById = new Map(byId)
  for (const product of replaced.values()) nowById.set(product.id, product)
  return { ...frame, products: now, places, byId: nowById, ...indexesOf(now, agentUrl, after) }
}

/** All but the products. */
async function frameOf(db: Db, tenant: Tenant, agentUrl: string) {
  const head = await loadPublisherInventory(db, tenant.tenantId)
  const custom = await loadCustomFormats(db, tenant.tenantId)
  const formats = [...standardFormats(agentUrl), ...custom.map((document) => customFormat(document, agentUrl))]
  return { ...head, formats, declare: declarer(formats), revision: tenant.productsRevision }
}

/** The index of products, made while other work goes on. */
export async function indexOf(products: readonly Product[]): Promise<ProductIndex> {
  const builder = createIndexBuilder()
  await forEachYielding(products, (product) => builder.add(product))
  return builder.build()
}

/** The index of what of products anybody may see. */
export async function limitedIndexOf(products: readonly Product[], agentUrl: string): Promise<ProductIndex> {
  const isStandardFormat = isStandardFormatOf(agentUrl)
  const builder = createIndexBuilder()
  await forEachYielding(products, (product) => {
    for (const shown of publicProducts([product], isStandardFormat)) builder.add(shown)
  })
  return builder.build()
}

function indexesOf(
  products: readonly Product[],
  agentUrl: string,
  known?: ProductIndex,
): Pick<TenantProducts, 'index' | 'built' | 'limitedIndex'> {
  let built = known && Promise.resolve(known)
  let limited: Promise<ProductIndex> | undefined
  return {
    index() {
      built ??= indexOf(products)
      return built
    },
    built: () => built,
    limitedIndex() {
      limited ??= limitedIndexOf(products, agentUrl)
      return limited
    },
  }
}
