import type { GetCollectionListRequest, GetCollectionListResponse } from '@adcp/sdk/types'
import { collectionKey, resolveCollectionList } from '../../domain/collection-list/resolve.ts'
import { cacheValidUntil } from '../../domain/inventory-list.ts'
import { pageOf } from '../../domain/page.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getList } from '../../store/inventory-list/inventory-lists.ts'
import { listScopeOf } from '../inventory-lists.ts'
import { knownCollections } from './known-collections.ts'
import {
  COLLECTION_LIST_CACHE_HOURS,
  type CollectionListDocument,
  presentCollectionList,
  presentUnresolved,
} from './present-collection-list.ts'

/** AdCP get-collection-list-request.json, `pagination.max_results`. */
const DEFAULT_PAGE = 1000

export const getCollectionList = defineTask<GetCollectionListRequest, GetCollectionListResponse>()({
  name: 'get_collection_list',
  access: 'authenticated',
  scope: 'lists:fetch',
  account: 'optional',
  summary: 'One collection list, resolved unless resolve is false; its fetch token may read it too.',
  async handle(request, context) {
    const { tx, now } = context
    const list = await getList<CollectionListDocument>(tx, listScopeOf(context), 'collection', request.list_id)
    if (request.resolve === false) return { list: presentCollectionList(list) }
    const resolved = resolveCollectionList(list.document, await knownCollections(context, list.document))
    const query = ['get_collection_list', context.principal.tenantId, list.listId, list.revision]
    const page = pageOf(resolved.collections, collectionKey, query, { max_results: DEFAULT_PAGE, ...request.pagination })
    return {
      list: presentCollectionList({ ...list, memberCount: resolved.collections.length }),
      collections: [...page.items],
      pagination: page.pagination,
      resolved_at: now.toISOString(),
      cache_valid_until: cacheValidUntil(now, COLLECTION_LIST_CACHE_HOURS),
      ...(resolved.coverageGaps.size > 0 && {
        coverage_gaps: Object.fromEntries([...resolved.coverageGaps].map(([dimension, gaps]) => [dimension, [...gaps]])),
      }),
      ...presentUnresolved(resolved),
    }
  },
})
