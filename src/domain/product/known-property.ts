import { isObject } from '../../protocol/is-object.ts'
import type { Property } from '../directory/property.ts'
import { stringsOf } from '../directory/property.ts'
import type { PropertyDocument } from '../directory/property-document.ts'
import type { Identifier } from '../directory/property-identifier.ts'
import type { Product } from './product.ts'
import type { Publisher } from './products-file.ts'

/** What this agent knows of a property. An undefined fact is unknown, never assumed. */
export interface KnownProperty {
  readonly publisherDomain: string
  readonly propertyId: string
  readonly type: string
  readonly identifiers: readonly Identifier[]
  readonly tags: readonly string[]
  readonly channels: readonly string[] | undefined
  /** ISO 3166-1 alpha-2; `everywhere` when some product on it is not bound to places. */
  readonly countries: readonly string[] | 'everywhere' | undefined
}

/** The properties of a tenant's own; the products that run on them tell channels and countries. */
export function tenantProperties(
  publisher: Publisher | undefined,
  documents: readonly PropertyDocument[],
  products: readonly Product[],
): KnownProperty[] {
  if (!publisher) return []
  return documents.map((document) => {
    const carried = products.filter(
      (product) => product.selling.status !== 'archived' && runsOn(product, publisher.domain, document),
    )
    const stated = document.supported_channels
    const sold = [...new Set(carried.flatMap(({ offer }) => offer.channels ?? []))]
    return {
      publisherDomain: publisher.domain,
      propertyId: document.property_id,
      type: document.property_type,
      identifiers: document.identifiers as readonly Identifier[],
      tags: document.tags ?? [],
      channels: stated ?? (sold.length > 0 ? sold : undefined),
      countries: countriesOf(carried),
    }
  })
}

/** Those of a publisher's properties that a product runs on. */
export function propertiesSoldBy(product: Product, domain: string, documents: readonly PropertyDocument[]): PropertyDocument[] {
  return documents.filter((document) => runsOn(product, domain, document))
}

function runsOn({ offer }: Product, domain: string, property: PropertyDocument): boolean {
  return offer.publisher_properties.some((selector) => {
    if (selector.publisher_domain !== domain) return false
    if (selector.selection_type === 'by_id') return selector.property_ids.includes(property.property_id)
    return selector.selection_type === 'all' || selector.property_tags.some((tag) => property.tags?.includes(tag))
  })
}

function countriesOf(products: readonly Product[]): KnownProperty['countries'] {
  if (products.length === 0) return undefined
  if (products.some(({ selling }) => !selling.coverage.countries)) return 'everywhere'
  return [...new Set(products.flatMap(({ selling }) => selling.coverage.countries ?? []))]
}

/** A property of another publisher's file in the directory's index; such a file says nothing of countries. */
export function indexedProperty(publisherDomain: string, { id, tags, raw }: Property): KnownProperty {
  const channels = stringsOf(raw.supported_channels)
  return {
    publisherDomain,
    propertyId: id,
    type: typeof raw.property_type === 'string' ? raw.property_type : '',
    identifiers: Array.isArray(raw.identifiers) ? raw.identifiers.filter(isIdentifier) : [],
    tags,
    channels: channels.length > 0 ? channels : undefined,
    countries: undefined,
  }
}

function isIdentifier(value: unknown): value is Identifier {
  return isObject(value) && typeof value.type === 'string' && typeof value.value === 'string'
}
