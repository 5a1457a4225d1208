import type { UpdateCollectionListRequest, UpdateCollectionListResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { prepareListUpdate, updateListOf } from '../list-kinds.ts'
import { COLLECTION_LISTS } from './collection-lists.ts'

export const updateCollectionList = defineTask<UpdateCollectionListRequest, UpdateCollectionListResponse>()({
  name: 'update_collection_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  changes: ['name', 'description', 'base_collections', 'filters', 'brand', 'webhook_url'],
  summary: 'Change a collection list: sources and filters are replaced whole, absent fields stay.',
  prepare(request, context) {
    const { name, description, base_collections, filters, brand } = request
    return prepareListUpdate(COLLECTION_LISTS, context, request, { name, description, base_collections, filters, brand })
  },
  handle: (request, context, prepared) => updateListOf(COLLECTION_LISTS, context, request, prepared),
})
