import type { DeletePropertyListRequest, DeletePropertyListResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { deleteList, getList } from '../../store/inventory-list/inventory-lists.ts'
import { listScopeOf } from '../inventory-lists.ts'

export const deletePropertyList = defineTask<DeletePropertyListRequest, DeletePropertyListResponse>()({
  name: 'delete_property_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Delete a property list; its fetch token stops working at once.',
  async handle({ list_id }, context) {
    const list = await getList(context.tx, listScopeOf(context), 'property', list_id)
    await deleteList(context.tx, context.principal.tenantId, list)
    return { deleted: true, list_id }
  },
})
