import { LRUCache } from 'lru-cache'
import type { ServingAdServer } from '../../domain/ad-serving/kept-offer.ts'
import { type Declare, declarer } from '../../domain/creative/canonical/declaration.ts'
import { type CatalogFormat, ownFormat } from '../../domain/creative/formats/format.ts'
import type { PropertyDocument } from '../../domain/directory/property-document.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Product } from '../../domain/product/product.ts'
import type { ProductIndex } from '../../domain/product/product-index.ts'
import { type CollectionDocument, type PlanDocument, type Publisher, productOf } from '../../domain/product/products-file.ts'
import { suiteProduct } from '../../domain/product/seed-product.ts'
import type { Db } from '../database.ts'
import { loadSeededFormats, loadSeededProducts } from './seeded-products.ts'
import { type ServedProducts, servedReader } from './served-products.ts'
import { followTenantProducts, indexOf, loadTenantProducts, type Tenant, type TenantProducts } from './tenant-products.ts'

/** The products of one revision, ready to answer from. Nothing in it may be changed. */
export interface ProductSnapshot {
  readonly revision: number
  readonly publisher: Publisher | undefined
  readonly properties: readonly PropertyDocument[]
  readonly collections: readonly CollectionDocument[]
  readonly plans: readonly PlanDocument[]
  /** Products on sale and paused, in the publisher's order; for a sandbox agent its seeded ones first. */
  readonly products: readonly Product[]
  /** Every product by id, also those that only running media buys refer to (status `archived`). */
  readonly byId: ReadonlyMap<string, Product>
  /** Formats of this agent: the standard ones, the publisher's own, then those seeded for a sandbox agent. */
  readonly formats: readonly CatalogFormat[]
  readonly seededFormats: readonly CatalogFormat[]
  /** Declares `formats` to buyers of later releases. */
  readonly declare: Declare
  /** What the compliance controller seeded for this sandbox agent. */
  readonly seeded: readonly Product[]
  /** Index for choosing, made on first use. */
  readonly index: () => Promise<ProductIndex>
  /** Index of what of it anybody may see, in the limited view, made on first use. */
  readonly limitedIndex: () => Promise<ProductIndex>
  /** The same as these ad servers can serve it: what none of them keeps is not offered. */
  readonly servedBy: (servers: readonly ServingAdServer[]) => Promise<ServedProducts>
}

export interface ProductCache {
  /** The products of a tenant at its current revision, as this caller has them. */
  get(db: Db, tenant: Tenant, viewer: ActingPrincipal | undefined): Promise<ProductSnapshot>
}

/** Snapshots in the cache: a tenant's own and one for each sandbox agent that is at work. */
const MAX_CACHED = 64

/**
 * Caches products in memory, keyed by the revision that the tenant's row carries, so that a request reads no product from the
 * store. A tenant's own is read once and then follows its changes; sandbox agents share its products. `agentUrl` owns the formats of
 * the products.
 */
export function createProductCache(agentUrl: string): ProductCache {
  const own = createFollower<TenantProducts>((db, tenant, before) => followed(db, tenant, agentUrl, before))
  const views = createFollower<ProductSnapshot>(async (db, tenant, _before, owner) =>
    viewOf(await own(db, tenant, undefined), db, tenant, owner, agentUrl),
  )
  return {
    get: (db, tenant, viewer) => views(db, tenant, ownerOf(viewer)),
  }
}

async function followed(db: Db, tenant: Tenant, agentUrl: string, before: TenantProducts | undefined): Promise<TenantProducts> {
  return (before && (await followTenantProducts(db, tenant, agentUrl, before))) ?? loadTenantProducts(db, tenant, agentUrl)
}

/** A sandbox agent, for which products may be seeded. */
interface ViewOwner {
  readonly principalId: string
  readonly conformance: boolean
}

function ownerOf(viewer: ActingPrincipal | undefined): ViewOwner | undefined {
  if (!viewer?.sandbox) return undefined
  return { principalId: viewer.principalId, conformance: viewer.conformance === true }
}

type Follow<T> = (db: Db, tenant: Tenant, before: T | undefined, owner: ViewOwner | undefined) => Promise<T>

/** Caches one value for each tenant and owner, as of the tenant's revision; the next is made from the one before. */
function createFollower<T>(follow: Follow<T>): (db: Db, tenant: Tenant, owner: ViewOwner | undefined) => Promise<T> {
  const cache = new LRUCache<string, { revision: number; value: Promise<T> }>({ max: MAX_CACHED })
  return (db, tenant, owner) => {
    const key = JSON.stringify([tenant.tenantId, owner])
    const known = cache.get(key)
    const revision = tenant.productsRevision
    const next = async () => follow(db, tenant, await known?.value.catch(() => undefined), owner)
    // A request that has read the tenant before a change may see the products after it.
    const entry = known && known.revision >= revision ? known : { revision, value: next() }
    cache.set(key, entry)
    entry.value.catch(() => {
      if (cache.get(key) === entry) cache.delete(key)
    })
    return entry.value
  }
}

/** The products as one sandbox agent has them, or as all other callers do. */
async function viewOf(
  own: TenantProducts,
  db: Db,
  tenant: Tenant,
  owner: ViewOwner | undefined,
  agentUrl: string,
): Promise<ProductSnapshot> {
  if (owner === undefined) return { ...own, seeded: [], seededFormats: [], servedBy: servedReader(own, agentUrl) }
  const seeded = (await loadSeededProducts(db, tenant.tenantId, owner.principalId)).map((document) =>
    productOf(document, agentUrl),
  )
  const seededFormats = (await loadSeededFormats(db, tenant.tenantId, owner.principalId)).map(({ id, name, type }) =>
    ownFormat({ id, type, body: { name } }, agentUrl, false),
  )
  const replaced = new Set(seeded.map(({ id }) => id))
  const added = owner.conformance && !replaced.has(suiteProduct.product_id) ? [productOf(suiteProduct, agentUrl)] : []
  const products = [...seeded, ...own.products.filter(({ id }) => !replaced.has(id)), ...added]
  const byId = new Map(own.byId)
  for (const product of [...added, ...seeded]) byId.set(product.id, product)
  let index: Promise<ProductIndex> | undefined
  const formats = [...own.formats, ...seededFormats]
  const view = {
    ...own,
    products,
    byId,
    formats,
    declare: declarer(formats),
    seededFormats,
    seeded,
    index() {
      index ??= indexOf(products)
      return index
    },
  }
  return { ...view, servedBy: servedReader(view, agentUrl) }
}
