import type { CreateCollectionListRequest, CreateCollectionListResponse } from '@adcp/sdk/types'
import { changeDocument } from '../../domain/inventory-list.ts'
import { defineTask } from '../../pipeline/task.ts'
import { createListOf, prepareNewList } from '../list-kinds.ts'
import { COLLECTION_LISTS } from './collection-lists.ts'
import type { CollectionListDocument } from './present-collection-list.ts'

export const createCollectionList = defineTask<CreateCollectionListRequest, CreateCollectionListResponse>()({
  name: 'create_collection_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Create a list of programmes from distribution ids, collections or genres; returns its fetch token once.',
  prepare: ({ name, description, base_collections, filters, brand }, context) =>
    prepareNewList(
      COLLECTION_LISTS,
      context,
      changeDocument<CollectionListDocument>({ name }, { description, base_collections, filters, brand }),
    ),
  handle: (_request, context, prepared) => createListOf(COLLECTION_LISTS, context, prepared),
})
