import type { CollectionList } from '@adcp/sdk/types'
import { collectionKey, resolveCollectionList } from '../../domain/collection-list/resolve.ts'
import type { KindOfList } from '../list-kinds.ts'
import { knownCollections } from './known-collections.ts'
import { COLLECTION_LIST_CACHE_HOURS, type CollectionListDocument, presentCollectionList } from './present-collection-list.ts'

/** Lists of collections: programmes in which ads may run. */
export const COLLECTION_LISTS: KindOfList<CollectionListDocument, CollectionList> = {
  kind: 'collection',
  cacheHours: COLLECTION_LIST_CACHE_HOURS,
  async members(context, document) {
    return resolveCollectionList(document, await knownCollections(context, document)).collections.map(collectionKey)
  },
  present: presentCollectionList,
}
