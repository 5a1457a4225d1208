import type { UpdatePropertyListRequest, UpdatePropertyListResponse } from '@adcp/sdk/types'
import { changeDocument } from '../../domain/inventory-list.ts'
import { identifierKey } from '../../domain/property-list/identifier.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getList, saveList } from '../../store/inventory-list/inventory-lists.ts'
import { checkListWebhook, followList, listScopeOf } from '../inventory-lists.ts'
import { knownProperties } from './known-properties.ts'
import { type PropertyListDocument, presentPropertyList } from './present-property-list.ts'

export const updatePropertyList = defineTask<UpdatePropertyListRequest, UpdatePropertyListResponse>()({
  name: 'update_property_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  changes: ['name', 'description', 'base_properties', 'filters', 'brand', 'webhook_url'],
  summary: 'Change a property list: sources and filters are replaced whole, absent fields stay.',
  async prepare(request, context) {
    await checkListWebhook(context, request.webhook_url)
    const list = await getList<PropertyListDocument>(context.db, listScopeOf(context), 'property', request.list_id)
    const document = changeDocument(list.document, changeOf(request))
    // A new subscriber of the list is notified of what this very request changes.
    const was =
      request.webhook_url === undefined
        ? []
        : resolvePropertyList(list.document, await knownProperties(context, list.document)).identifiers
    return { was: was.map(identifierKey), list: { ...list, document }, knowledge: await knownProperties(context, document) }
  },
  async handle({ webhook_url: url }, context, { was, list, knowledge }) {
    const { tx, principal, now } = context
    const { identifiers } = resolvePropertyList(list.document, knowledge)
    const saved = await saveList(tx, principal.tenantId, { ...list, memberCount: identifiers.length }, now)
    await followList(context, saved, url, was)
    return { list: { ...presentPropertyList(saved), ...(url !== undefined && url !== '' && { webhook_url: url }) } }
  },
})

function changeOf({ name, description, base_properties, filters, brand }: UpdatePropertyListRequest) {
  return { name, description, base_properties, filters, brand }
}
