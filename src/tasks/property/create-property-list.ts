import type { CreatePropertyListRequest, CreatePropertyListResponse } from '@adcp/sdk/types'
import { changeDocument } from '../../domain/inventory-list.ts'
import { defineTask } from '../../pipeline/task.ts'
import { createListOf, prepareNewList } from '../list-kinds.ts'
import type { PropertyListDocument } from './present-property-list.ts'
import { PROPERTY_LISTS } from './property-lists.ts'

export const createPropertyList = defineTask<CreatePropertyListRequest, CreatePropertyListResponse>()({
  name: 'create_property_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Create a list of properties from identifiers, ids or tags, with filters; returns its fetch token once.',
  prepare: ({ name, description, base_properties, filters, brand }, context) =>
    prepareNewList(
      PROPERTY_LISTS,
      context,
      changeDocument<PropertyListDocument>({ name }, { description, base_properties, filters, brand }),
    ),
  handle: (_request, context, prepared) => createListOf(PROPERTY_LISTS, context, prepared),
})
