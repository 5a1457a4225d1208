import { keepsReader, keptProduct, type ServingAdServer } from '../../domain/ad-serving/kept-offer.ts'
import type { Product } from '../../domain/product/product.ts'
import type { ProductIndex } from '../../domain/product/product-index.ts'
import { replaceInIndex } from '../../domain/product/replace-in-index.ts'
import type { Db } from '../database.ts'
import { forEachYielding } from '../yielding.ts'
import type { ProductSnapshot } from './product-cache.ts'
import { indexOf, limitedIndexOf, loadTenantProducts, MOST_REPLACED } from './tenant-products.ts'

/** The products of a snapshot as the publisher's ad servers can serve them. */
export type ServedProducts = Pick<ProductSnapshot, 'products' | 'byId' | 'index' | 'limitedIndex'>

/**
 * Makes the function that narrows products to what their ad servers can serve. What it made last is given again for the same ad servers, so that a
 * snapshot is narrowed once.
 */
export function servedReader(
  own: ServedProducts & Pick<ProductSnapshot, 'declare'>,
  agentUrl: string,
): (servers: readonly ServingAdServer[]) => Promise<ServedProducts> {
  let last: { readonly servers: readonly ServingAdServer[]; readonly served: Promise<ServedProducts> } | undefined
  return (servers) => {
    if (last?.servers === servers) return last.served
    last = { servers, served: servedOf(own, servers, agentUrl) }
    return last.served
  }
}

/** Reads all products of a publisher as its ad servers can serve them, without a cache. */
export async function readServedProducts(
  db: Db,
  adServers: { list(tenantId: string): readonly ServingAdServer[] },
  { tenantId, agentUrl }: { readonly tenantId: string; readonly agentUrl: string },
): Promise<ServedProducts> {
  const own = await loadTenantProducts(db, { tenantId, productsRevision: 0 }, agentUrl)
  return servedOf(own, adServers.list(tenantId), agentUrl)
}

async function servedOf(
  own: ServedProducts & Pick<ProductSnapshot, 'declare'>,
  servers: readonly ServingAdServer[],
  agentUrl: string,
): Promise<ServedProducts> {
  const keepsOf = keepsReader(servers)
  const replaced = new Map<number, Product>()
  let position = 0
  await forEachYielding(own.products, (product) => {
    const kept = keptProduct(product, keepsOf(product.id), (format) => own.declare(format)?.format_kind)
    if (kept !== product) replaced.set(position, kept)
    position += 1
  })
  if (replaced.size === 0) return own
  const products = own.products.map((product, at) => replaced.get(at) ?? product)
  const byId = new Map(own.byId)
  for (const product of replaced.values()) byId.set(product.id, product)
  let index: Promise<ProductIndex> | undefined
  let limited: Promise<ProductIndex> | undefined
  return {
    products,
    byId,
    index() {
      index ??= replaced.size > MOST_REPLACED ? indexOf(products) : own.index().then((whole) => replaceInIndex(whole, replaced))
      return index
    },
    limitedIndex() {
      limited ??= limitedIndexOf(products, agentUrl)
      return limited
    },
  }
}
