import type { CollectionList, CreateCollectionListRequest } from '@adcp/sdk/types'
import type { ResolvedCollectionList } from '../../domain/collection-list/resolve.ts'
import { type InventoryList, presentStamps } from '../../domain/inventory-list.ts'

/** What the store keeps of a collection list. */
export type CollectionListDocument = Pick<
  CreateCollectionListRequest,
  'name' | 'description' | 'base_collections' | 'filters' | 'brand'
>

/** Hours for which a resolved list may be used: a week (AdCP collection-list.json, `cache_duration_hours`). */
export const COLLECTION_LIST_CACHE_HOURS = 168

/** Identifiers shown of one part that did not resolve; the count includes the rest. */
const MOST_SHOWN = 100

/** The official list object. */
export function presentCollectionList(list: InventoryList<CollectionListDocument>): CollectionList {
  return {
    ...presentStamps(list),
    ...list.document,
    cache_duration_hours: COLLECTION_LIST_CACHE_HOURS,
    collection_count: list.memberCount,
  }
}

/** What a list names and this agent knows nothing of. The protocol has no field for it, so it goes under `ext.sales_agent`. */
export function presentUnresolved({ unresolved }: ResolvedCollectionList): { ext?: Record<string, unknown> } {
  if (unresolved.length === 0) return {}
  const parts = unresolved.map(({ source, reason, publisherDomain, collectionIds, identifiers }) => ({
    field: `base_collections[${source}]`,
    reason,
    ...(publisherDomain !== undefined && { publisher_domain: publisherDomain }),
    ...(collectionIds && { collection_ids: collectionIds.slice(0, MOST_SHOWN) }),
    ...(identifiers && { count: identifiers.length, identifiers: identifiers.slice(0, MOST_SHOWN) }),
  }))
  return { ext: { sales_agent: { unresolved: parts } } }
}
