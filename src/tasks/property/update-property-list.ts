import type { UpdatePropertyListRequest, UpdatePropertyListResponse } from '@adcp/sdk/types'
import { changeDocument } from '../../domain/inventory-list.ts'
import { resolvePropertyList } from '../../domain/property-list/resolve.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getList, saveList } from '../../store/inventory-lists.ts'
import { listReach, refuseWebhook } from '../inventory-lists.ts'
import { knownProperties } from './known-properties.ts'
import { type PropertyListDocument, presentPropertyList } from './present-property-list.ts'

export const updatePropertyList = defineTask<UpdatePropertyListRequest, UpdatePropertyListResponse>()({
  name: 'update_property_list',
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Change a property list: sources and filters are replaced whole, absent fields stay.',
  async prepare(request, context) {
    refuseWebhook(request.webhook_url)
    const list = await getList<PropertyListDocument>(context.db, listReach(context), 'property', request.list_id)
    const document = changeDocument(list.document, changeOf(request))
    return { list: { ...list, document }, knowledge: await knownProperties(context, document) }
  },
  async handle(_request, { tx, principal, now }, { list, knowledge }) {
    const memberCount = resolvePropertyList(list.document, knowledge).identifiers.length
    const saved = await saveList(tx, principal.tenantId, { ...list, memberCount }, now)
    return { list: presentPropertyList(saved) }
  },
})

function changeOf({ name, description, base_properties, filters, brand }: UpdatePropertyListRequest) {
  return { name, description, base_properties, filters, brand }
}
