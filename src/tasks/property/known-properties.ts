import { indexedProperty, tenantProperties } from '../../domain/product/known-property.ts'
import { type PropertyKnowledge, type PropertyListDefinition, publishersOf } from '../../domain/property-list/resolve.ts'
import { readPublisherFiles } from '../../features/directory/publisher-file.ts'
import type { ProductsContext } from '../inventory-lists.ts'

/** What is known when a list is resolved: the tenant's own inventory, and the indexed files of other publishers that the list names. */
export async function knownProperties(
  { db, tenant, services }: ProductsContext,
  list: PropertyListDefinition,
): Promise<PropertyKnowledge> {
  const { publisher, properties, products } = await services.products.get(db, tenant, undefined)
  const files = await readPublisherFiles(db, publishersOf(list, publisher?.domain))
  return {
    own: tenantProperties(publisher, properties, products),
    indexed: new Map([...files].map(([domain, file]) => [domain, file.properties.map((each) => indexedProperty(domain, each))])),
  }
}
