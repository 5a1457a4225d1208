import { customFormat } from '../domain/creative/formats/custom-format.ts'
import { type CatalogFormat, ownFormat } from '../domain/creative/formats/format.ts'
import { standardFormats } from '../domain/creative/formats/standard-formats.ts'
import {
  type CollectionDocument,
  type PlanDocument,
  type PropertyDocument,
  type Publisher,
  productOf,
} from '../domain/product/catalogue-file.ts'
import type { Product } from '../domain/product/product.ts'
import { publicProducts } from '../domain/product/public-view.ts'
import { buildIndex, type CatalogueIndex } from '../domain/product/rank-products.ts'
import { sandboxProduct } from '../domain/product/seed-product.ts'
import { isStandardFormatOf } from '../domain/product/standard-format.ts'
import { loadCustomFormats } from './custom-formats.ts'
import type { Db } from './database.ts'
import { loadCatalogue, loadSeededFormats, loadSeededProducts } from './products.ts'

/** One revision of a catalogue, ready to answer from. Nothing in it may be changed. */
export interface Catalogue {
  readonly revision: number
  readonly publisher: Publisher | undefined
  readonly properties: readonly PropertyDocument[]
  readonly collections: readonly CollectionDocument[]
  readonly plans: readonly PlanDocument[]
  /** Products on sale and paused, in the order of the catalogue; for a sandbox agent its seeded ones first. */
  readonly products: readonly Product[]
  /** Every product by id, also those that only running media buys refer to (status `archived`). */
  readonly byId: ReadonlyMap<string, Product>
  /** Formats of this agent: the standard ones, the publisher's own, then those seeded for a sandbox agent. */
  readonly formats: readonly CatalogFormat[]
  readonly seededFormats: readonly CatalogFormat[]
  /** What the compliance controller seeded for this sandbox agent. */
  readonly seeded: readonly Product[]
  /** Index for ranking, built on first use. */
  readonly index: CatalogueIndex
  /** What of it anybody may see, built on first use. */
  readonly limited: Pick<Catalogue, 'products' | 'index'>
}

/** The caller as far as it changes the catalogue: a sandbox agent also has what was seeded for it. */
export interface Viewer {
  readonly principalId: string
  readonly sandbox: boolean
}

export interface CatalogueCache {
  /** The catalogue of a tenant at its current revision, as this caller has it. */
  get(db: Db, tenant: { tenantId: string; catalogueRevision: number }, viewer: Viewer | undefined): Promise<Catalogue>
}

/** Most catalogues kept: a tenant's own and one for each sandbox agent that is at work. */
const MAX_CATALOGUES = 64

/**
 * Keeps catalogues in memory, keyed by the revision that the tenant's row carries, so that a request reads no product from the
 * store. `agentUrl` owns the formats of the catalogue.
 */
export function createCatalogueCache(agentUrl: string): CatalogueCache {
  const kept = new Map<string, { revision: number; catalogue: Promise<Catalogue> }>()
  return {
    get(db, { tenantId, catalogueRevision: revision }, viewer) {
      const owner = viewer?.sandbox ? viewer.principalId : undefined
      const key = JSON.stringify([tenantId, owner])
      const known = kept.get(key)
      kept.delete(key)
      const entry = known?.revision === revision ? known : { revision, catalogue: load(db, tenantId, owner, revision, agentUrl) }
      kept.set(key, entry)
      for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - MAX_CATALOGUES))) kept.delete(oldest)
      entry.catalogue.catch(() => {
        if (kept.get(key) === entry) kept.delete(key)
      })
      return entry.catalogue
    },
  }
}

async function load(db: Db, tenantId: string, owner: string | undefined, revision: number, agentUrl: string): Promise<Catalogue> {
  const stored = await loadCatalogue(db, tenantId)
  const seeded = owner === undefined ? [] : await loadSeededProducts(db, tenantId, owner)
  const seededFormats = owner === undefined ? [] : await loadSeededFormats(db, tenantId, owner)
  const replaced = new Set(seeded.map((document) => document.product_id))
  const documents = [
    ...seeded,
    ...stored.products.filter((document) => !replaced.has(document.product_id)),
    ...(owner === undefined || replaced.has(sandboxProduct.product_id) ? [] : [sandboxProduct]),
  ]
  const products = documents.map((document) => productOf(document, agentUrl))
  const archived = stored.removed.map((document) => {
    const product = productOf(document, agentUrl)
    return { ...product, selling: { ...product.selling, status: 'archived' as const } }
  })
  const customFormats = (await loadCustomFormats(db, tenantId)).map((document) => customFormat(document, agentUrl))
  const extraFormats = seededFormats.map(({ id, name, type }) => ownFormat({ id, type, body: { name } }, agentUrl, false))
  let index: CatalogueIndex | undefined
  let limited: Catalogue['limited'] | undefined
  return {
    revision,
    publisher: stored.publisher,
    properties: stored.properties,
    collections: stored.collections,
    plans: stored.plans,
    products,
    byId: new Map([...archived, ...products].map((product) => [product.id, product])),
    formats: [...standardFormats(agentUrl), ...customFormats, ...extraFormats],
    seededFormats: extraFormats,
    seeded: products.slice(0, seeded.length),
    get index() {
      index ??= buildIndex(products)
      return index
    },
    get limited() {
      if (!limited) {
        const shown = publicProducts(products, isStandardFormatOf(agentUrl))
        limited = { products: shown, index: buildIndex(shown) }
      }
      return limited
    },
  }
}
