import type { ListPropertyListsRequest, ListPropertyListsResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { pageOfLists } from '../inventory-lists.ts'
import { type PropertyListDocument, presentPropertyList } from './present-property-list.ts'

export const listPropertyLists = defineTask<ListPropertyListsRequest, ListPropertyListsResponse>()({
  name: 'list_property_lists',
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'List your property lists, without their resolved identifiers.',
  async handle(request, context) {
    const { lists, pagination } = await pageOfLists<PropertyListDocument>(context, 'property', request)
    return { lists: lists.map(presentPropertyList), pagination }
  },
})
