import { isCollection } from '../../domain/collection-list/indexed-collection.ts'
import { type CollectionKnowledge, type CollectionListDefinition, publishersOf } from '../../domain/collection-list/resolve.ts'
import { readPublisherFiles } from '../../features/directory/publisher-file.ts'
import type { CatalogueContext } from '../inventory-lists.ts'

/** What is known when a list is resolved: the tenant's catalogue, and the indexed files of other publishers that the list names. */
export async function knownCollections(
  { db, tenant, services }: CatalogueContext,
  list: CollectionListDefinition,
): Promise<CollectionKnowledge> {
  const { publisher, collections } = await services.catalogue.get(db, tenant, undefined)
  const others = publishersOf(list).filter((domain) => domain !== publisher?.domain)
  const files = await readPublisherFiles(db, others)
  const indexed = [...files].map(([domain, file]) => [domain, file.collections.filter(isCollection)] as const)
  return {
    own: collections,
    byPublisher: new Map([...(publisher ? [[publisher.domain, collections] as const] : []), ...indexed]),
  }
}
