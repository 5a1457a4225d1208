import type { UpdatePropertyListRequest, UpdatePropertyListResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { prepareListUpdate, updateListOf } from '../list-kinds.ts'
import { PROPERTY_LISTS } from './property-lists.ts'

export const updatePropertyList = defineTask<UpdatePropertyListRequest, UpdatePropertyListResponse>()({
  name: 'update_property_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  changes: ['name', 'description', 'base_properties', 'filters', 'brand', 'webhook_url'],
  summary: 'Change a property list: sources and filters are replaced whole, absent fields stay.',
  prepare(request, context) {
    const { name, description, base_properties, filters, brand } = request
    return prepareListUpdate(PROPERTY_LISTS, context, request, { name, description, base_properties, filters, brand })
  },
  handle: (request, context, prepared) => updateListOf(PROPERTY_LISTS, context, request, prepared),
})
