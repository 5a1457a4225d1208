import type { CreateCollectionListRequest, CreateCollectionListResponse } from '@adcp/sdk/types'
import { resolveCollectionList } from '../../domain/collection-list/resolve.ts'
import { changeDocument } from '../../domain/inventory-list.ts'
import { defineTask } from '../../pipeline/task.ts'
import { createList } from '../inventory-lists.ts'
import { knownCollections } from './known-collections.ts'
import { type CollectionListDocument, presentCollectionList } from './present-collection-list.ts'

export const createCollectionList = defineTask<CreateCollectionListRequest, CreateCollectionListResponse>()({
  name: 'create_collection_list',
  mutating: true,
  access: 'authenticated',
  scope: 'lists',
  account: 'optional',
  summary: 'Create a list of programmes from distribution ids, publisher collections or genres; returns its fetch token once.',
  prepare: (request, context) => knownCollections(context, request),
  async handle({ name, description, base_collections, filters, brand }, context, knowledge) {
    const document = changeDocument<CollectionListDocument>({ name }, { description, base_collections, filters, brand })
    const { collections } = resolveCollectionList(document, knowledge)
    const { list, token } = await createList(context, 'collection', document, collections.length)
    return { list: presentCollectionList(list), auth_token: token }
  },
})
