import type { DeleteCollectionListRequest, DeleteCollectionListResponse } from '@adcp/sdk/types'
import { defineTask } from '../../pipeline/task.ts'
import { deleteList, getList } from '../../store/inventory-list/inventory-lists.ts'
import { listScopeOf } from '../inventory-lists.ts'

export const deleteCollectionList = defineTask<DeleteCollectionListRequest, DeleteCollectionListResponse>()({
  name: 'delete_collection_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Delete a collection list; its fetch token stops working at once.',
  async handle({ list_id }, context) {
    const list = await getList(context.tx, listScopeOf(context), 'collection', list_id)
    await deleteList(context.tx, context.principal.tenantId, list)
    return { deleted: true, list_id }
  },
})
