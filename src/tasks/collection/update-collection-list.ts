import type { UpdateCollectionListRequest, UpdateCollectionListResponse } from '@adcp/sdk/types'
import { resolveCollectionList } from '../../domain/collection-list/resolve.ts'
import { changeDocument } from '../../domain/inventory-list.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getList, saveList } from '../../store/inventory-lists.ts'
import { listReach, refuseWebhook } from '../inventory-lists.ts'
import { knownCollections } from './known-collections.ts'
import { type CollectionListDocument, presentCollectionList } from './present-collection-list.ts'

export const updateCollectionList = defineTask<UpdateCollectionListRequest, UpdateCollectionListResponse>()({
  name: 'update_collection_list',
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Change a collection list: sources and filters are replaced whole, absent fields stay.',
  async prepare(request, context) {
    refuseWebhook(request.webhook_url)
    const list = await getList<CollectionListDocument>(context.db, listReach(context), 'collection', request.list_id)
    const document = changeDocument(list.document, changeOf(request))
    return { list: { ...list, document }, knowledge: await knownCollections(context, document) }
  },
  async handle(_request, { tx, principal, now }, { list, knowledge }) {
    const memberCount = resolveCollectionList(list.document, knowledge).collections.length
    const saved = await saveList(tx, principal.tenantId, { ...list, memberCount }, now)
    return { list: presentCollectionList(saved) }
  },
})

function changeOf({ name, description, base_collections, filters, brand }: UpdateCollectionListRequest) {
  return { name, description, base_collections, filters, brand }
}
