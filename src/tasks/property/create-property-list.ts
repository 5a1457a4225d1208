import type { CreatePropertyListRequest, CreatePropertyListResponse } from '@adcp/sdk/types'
import { changeDocument } from '../../domain/inventory-list.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import { defineTask } from '../../pipeline/task.ts'
import { createList } from '../inventory-lists.ts'
import { knownProperties } from './known-properties.ts'
import { type PropertyListDocument, presentPropertyList } from './present-property-list.ts'

export const createPropertyList = defineTask<CreatePropertyListRequest, CreatePropertyListResponse>()({
  name: 'create_property_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Create a list of properties from identifiers, publisher ids or tags, with filters; returns its fetch token once.',
  prepare: (request, context) => knownProperties(context, request),
  async handle({ name, description, base_properties, filters, brand }, context, knowledge) {
    const document = changeDocument<PropertyListDocument>({ name }, { description, base_properties, filters, brand })
    const { identifiers } = resolvePropertyList(document, knowledge)
    const { list, token } = await createList(context, 'property', document, identifiers.length)
    return { list: presentPropertyList(list), auth_token: token }
  },
})
