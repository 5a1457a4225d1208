import type { ResolvedList } from '../ad-serving/embedded/fetch-list.ts'
import { resolveCollectionList } from '../domain/collection-list/resolve.ts'
import type { ListKind } from '../domain/inventory-list.ts'
import { resolvePropertyList } from '../domain/property-list/resolve.ts'
import { inTurns } from '../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from '../store/database.ts'
import { findTenant } from '../store/identity/tenants.ts'
import { getList, type ListScope } from '../store/inventory-list/inventory-lists.ts'
import { findListByToken } from '../store/inventory-list/list-tokens.ts'
import { findTenantOrders } from '../store/media-buy/order-list.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { knownCollections } from './collection/known-collections.ts'
import type { CollectionListDocument } from './collection/present-collection-list.ts'
import { knownProperties } from './property/known-properties.ts'
import type { PropertyListDocument } from './property/present-property-list.ts'

/** A list that a media buy names. */
interface NamedList {
  readonly list_id: string
  readonly auth_token?: string
  readonly media_buy_id: string
}

/**
 * What a list of this agent resolves to now, outside of any call. It is one of the buyer of the order, or one whose token came along. Throws
 * REFERENCE_NOT_FOUND when it is neither.
 */
export async function storedListMembers(
  { db, products }: { readonly db: Db; readonly products: ProductCache },
  tenantId: string,
  kind: ListKind,
  named: NamedList,
): Promise<ResolvedList> {
  const tenant = await findTenant(db, tenantId)
  if (!tenant) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no such ${kind} list`)
  const context = { db, tenant, services: { products } }
  const reach = await reachOf(db, tenantId, named)
  if (kind === 'property') {
    const { document } = await getList<PropertyListDocument>(db, reach, kind, named.list_id)
    const { identifiers } = await inTurns(resolvePropertyList(document, await knownProperties(context, document)))
    return { properties: identifiers, collections: [] }
  }
  const { document } = await getList<CollectionListDocument>(db, reach, kind, named.list_id)
  return { properties: [], collections: resolveCollectionList(document, await knownCollections(context, document)).collections }
}

async function reachOf(db: Db, tenantId: string, { auth_token: token, media_buy_id: id }: NamedList): Promise<ListScope> {
  const held = token === undefined ? undefined : await findListByToken(db, token)
  if (held?.tenantId === tenantId) return { tenantId, principalId: '', accountId: undefined, confinedTo: held.listId }
  const [order] = await findTenantOrders(db, tenantId, [id])
  if (!order) return { tenantId, principalId: '', accountId: undefined }
  return { tenantId, principalId: order.principalId, accountId: order.buy.accountId }
}
