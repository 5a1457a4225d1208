import type { ListDocument, ListKind } from '../domain/inventory-list.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from '../store/database.ts'
import { findTenant } from '../store/identity/tenants.ts'
import { getList } from '../store/inventory-list/inventory-lists.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { COLLECTION_LISTS } from './collection/collection-lists.ts'
import type { KindOfList } from './list-kinds.ts'
import { PROPERTY_LISTS } from './property/property-lists.ts'

/** Lists outside of any call: webhooks report of them what their buyers would get. Undefined for a list that is gone. */
export function listView(db: Db, products: ProductCache) {
  return async (tenantId: string, kind: ListKind, listId: string) => {
    const tenant = await findTenant(db, tenantId)
    if (!tenant) return undefined
    const context = { db, tenant, services: { products } }
    const reach = { tenantId, principalId: '', accountId: undefined, confinedTo: listId }
    const view = async <D extends ListDocument, L>({ kind, members, cacheHours }: KindOfList<D, L>) => {
      const { document } = await getList<D>(db, reach, kind, listId)
      return { name: document.name, members: await members(context, document), cacheHours }
    }
    try {
      return await (kind === 'property' ? view(PROPERTY_LISTS) : view(COLLECTION_LISTS))
    } catch (error) {
      if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') return undefined
      throw error
    }
  }
}
