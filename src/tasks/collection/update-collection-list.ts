import type { UpdateCollectionListRequest, UpdateCollectionListResponse } from '@adcp/sdk/types'
import { collectionKey, resolveCollectionList } from '../../domain/collection-list/resolve.ts'
import { changeDocument } from '../../domain/inventory-list.ts'
import { defineTask } from '../../pipeline/task.ts'
import { getList, saveList } from '../../store/inventory-list/inventory-lists.ts'
import { checkListWebhook, followList, listScopeOf } from '../inventory-lists.ts'
import { knownCollections } from './known-collections.ts'
import { type CollectionListDocument, presentCollectionList } from './present-collection-list.ts'

export const updateCollectionList = defineTask<UpdateCollectionListRequest, UpdateCollectionListResponse>()({
  name: 'update_collection_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  changes: ['name', 'description', 'base_collections', 'filters', 'brand', 'webhook_url'],
  summary: 'Change a collection list: sources and filters are replaced whole, absent fields stay.',
  async prepare(request, context) {
    await checkListWebhook(context, request.webhook_url)
    const list = await getList<CollectionListDocument>(context.db, listScopeOf(context), 'collection', request.list_id)
    const document = changeDocument(list.document, changeOf(request))
    // A new subscriber of the list is notified of what this very request changes.
    const was =
      request.webhook_url === undefined
        ? []
        : resolveCollectionList(list.document, await knownCollections(context, list.document)).collections
    return { was: was.map(collectionKey), list: { ...list, document }, knowledge: await knownCollections(context, document) }
  },
  async handle({ webhook_url: url }, context, { was, list, knowledge }) {
    const { tx, principal, now } = context
    const { collections } = resolveCollectionList(list.document, knowledge)
    const saved = await saveList(tx, principal.tenantId, { ...list, memberCount: collections.length }, now)
    await followList(context, saved, url, was)
    return { list: { ...presentCollectionList(saved), ...(url !== undefined && url !== '' && { webhook_url: url }) } }
  },
})

function changeOf({ name, description, base_collections, filters, brand }: UpdateCollectionListRequest) {
  return { name, description, base_collections, filters, brand }
}
