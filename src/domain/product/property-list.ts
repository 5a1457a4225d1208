import type { PropertyDocument } from '../directory/property-document.ts'
import { identifierSet } from '../directory/property-identifier.ts'
import type { Product } from './product.ts'
import type { Publisher } from './products-file.ts'

/** An entry of a resolved property list, e.g. `{ type: 'domain', value: 'news.example' }` (AdCP core/property.json). */
export interface PropertyIdentifier {
  readonly type: string
  readonly value: string
}

/**
 * Products that run on properties of a list. One that may be narrowed (`property_targeting_allowed`) needs one property in the list,
 * any other needs all of its own there. Properties that this seller does not know count as not in the list.
 */
export function onPropertyList(
  products: readonly Product[],
  { publisher, properties }: { publisher: Publisher | undefined; properties: readonly PropertyDocument[] },
  list: readonly PropertyIdentifier[],
): Product[] {
  const wanted = identifierSet(list)
  const listed = new Set(
    properties.filter((property) => property.identifiers.some((id) => wanted.has(id))).map((property) => property.property_id),
  )
  return products.filter(({ offer }) => {
    const own = offer.publisher_properties.flatMap((selector) => {
      if (selector.publisher_domain !== publisher?.domain) return [undefined]
      if (selector.selection_type === 'by_id') return selector.property_ids
      const tags: readonly string[] | undefined = selector.selection_type === 'by_tag' ? selector.property_tags : undefined
      return properties
        .filter((property) => !tags || tags.some((tag) => property.tags?.includes(tag)))
        .map((property) => property.property_id)
    })
    const inList = own.filter((id) => id !== undefined && listed.has(id))
    return offer.property_targeting_allowed === true ? inList.length > 0 : own.length > 0 && inList.length === own.length
  })
}
