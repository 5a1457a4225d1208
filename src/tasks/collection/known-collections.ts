import { isCollection } from '../../domain/collection-list/indexed-collection.ts'
import { type CollectionKnowledge, type CollectionListDefinition, publishersOf } from '../../domain/collection-list/resolve.ts'
import { readPublisherFiles } from '../../features/directory/publisher-file.ts'
import type { ProductsContext } from '../inventory-lists.ts'

/** What is known when a list is resolved: the tenant's own inventory, and the indexed files of other publishers that the list names. */
export async function knownCollections(
  { db, tenant, services }: ProductsContext,
  list: CollectionListDefinition,
): Promise<CollectionKnowledge> {
  const { publisher, collections } = await services.products.get(db, tenant, undefined)
  const others = publishersOf(list).filter((domain) => domain !== publisher?.domain)
  const files = await readPublisherFiles(db, others)
  const indexed = [...files].map(([domain, file]) => [domain, file.collections.filter(isCollection)] as const)
  return {
    own: collections,
    byPublisher: new Map([...(publisher ? [[publisher.domain, collections] as const] : []), ...indexed]),
  }
}
