import { collectionKey, resolveCollectionList } from '../domain/collection-list/resolve.ts'
import type { ListKind } from '../domain/inventory-list.ts'
import { identifierKey } from '../domain/property-list/identifier.ts'
import { resolvePropertyList } from '../domain/property-list/resolve.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from '../store/database.ts'
import { findTenant } from '../store/identity/tenants.ts'
import { getList } from '../store/inventory-list/inventory-lists.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { knownCollections } from './collection/known-collections.ts'
import { COLLECTION_LIST_CACHE_HOURS, type CollectionListDocument } from './collection/present-collection-list.ts'
import { knownProperties } from './property/known-properties.ts'
import { PROPERTY_LIST_CACHE_HOURS, type PropertyListDocument } from './property/present-property-list.ts'

/** Lists outside of any call: what webhooks tell of them is what their buyers would get. Undefined for a list that is gone. */
export function listView(db: Db, products: ProductCache) {
  return async (tenantId: string, kind: ListKind, listId: string) => {
    const tenant = await findTenant(db, tenantId)
    if (!tenant) return undefined
    const context = { db, tenant, services: { products } }
    const reach = { tenantId, principalId: '', accountId: undefined, confinedTo: listId }
    try {
      if (kind === 'property') {
        const { document } = await getList<PropertyListDocument>(db, reach, kind, listId)
        const { identifiers } = resolvePropertyList(document, await knownProperties(context, document))
        return { name: document.name, members: identifiers.map(identifierKey), cacheHours: PROPERTY_LIST_CACHE_HOURS }
      }
      const { document } = await getList<CollectionListDocument>(db, reach, kind, listId)
      const { collections } = resolveCollectionList(document, await knownCollections(context, document))
      return { name: document.name, members: collections.map(collectionKey), cacheHours: COLLECTION_LIST_CACHE_HOURS }
    } catch (error) {
      if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') return undefined
      throw error
    }
  }
}
