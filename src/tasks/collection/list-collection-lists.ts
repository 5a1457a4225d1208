import type { ListCollectionListsRequest, ListCollectionListsResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { pageOfLists } from '../inventory-lists.ts'
import { type CollectionListDocument, presentCollectionList } from './present-collection-list.ts'

export const listCollectionLists = defineTask<ListCollectionListsRequest, ListCollectionListsResponse>()({
  name: 'list_collection_lists',
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'List your collection lists, without their resolved programmes.',
  async handle(request, context) {
    const { lists, pagination } = await pageOfLists<CollectionListDocument>(context, 'collection', request)
    return { lists: lists.map(presentCollectionList), pagination }
  },
})
