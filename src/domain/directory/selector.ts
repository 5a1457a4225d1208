import { hash } from 'node:crypto'
import { isObject } from '../../protocol/is-object.ts'
import { type Parsed, type Property, stringsOf } from './property.ts'
import { publisherDomain } from './publisher-domain.ts'

/** Largest compact selector that is taken; the biggest network known has 6,800 domains. */
const MAX_SELECTOR_DOMAINS = 50_000

/** Ids or tags that one entry or selector names at most: a network of hundreds of thousands of properties uses tags. */
export const MAX_SELECTED = 200_000

/** Which properties of a pool are meant: all, those with an id of a set, or those with a tag of it. */
export type Selection =
  | { readonly by: 'all' }
  | { readonly by: 'id' | 'tag'; readonly wanted: ReadonlySet<string> /** Equal for equal lists. */; readonly key: string }

/** A `publisher_properties` selector: which properties, of which publishers. */
export interface Selector {
  readonly domains: ReadonlySet<string>
  readonly selects: Selection
}

/** Properties whose id is in the set. */
export function byId(ids: readonly string[]): Selection {
  return among('id', ids)
}

/** Properties with at least one of the tags. */
export function byTag(tags: readonly string[]): Selection {
  return among('tag', tags)
}

function among(by: 'id' | 'tag', values: readonly string[]): Selection {
  const wanted = new Set(values)
  return { by, wanted, key: hash('sha256', JSON.stringify([by, ...values])) }
}

/** Whether a selection takes a property. */
export function isSelected(selection: Selection, { id, tags }: Property): boolean {
  if (selection.by === 'all') return true
  return selection.by === 'id' ? selection.wanted.has(id) : tags.some((tag) => selection.wanted.has(tag))
}

/**
 * Reads one selector; a malformed one gives the reason and leaves the rest of the file usable.
 * Exactly one of `publisher_domain` and `publisher_domains`; `by_id` takes only the singular form (ids are local to a
 * publisher). Source: AdCP adagents.json, publisher property selector.
 */
export function parseSelector(value: unknown): Parsed<Selector> {
  if (!isObject(value)) return { reason: 'is not an object' }
  const singular = value.publisher_domain !== undefined
  const plural = value.publisher_domains !== undefined
  if (singular === plural) return { reason: 'needs exactly one of publisher_domain and publisher_domains' }
  if (value.selection_type === 'by_id' && plural) return { reason: 'selects by_id over several publisher_domains' }
  const selects = parsePredicate(value)
  if (selects === 'too-many') return { reason: `names more than ${MAX_SELECTED} ids or tags` }
  if (!selects) return { reason: 'has no usable selection_type with its ids or tags' }
  const listed = singular ? [value.publisher_domain] : value.publisher_domains
  if (!Array.isArray(listed) || listed.length === 0) return { reason: 'names no publisher domain' }
  if (listed.length > MAX_SELECTOR_DOMAINS) return { reason: `names more than ${MAX_SELECTOR_DOMAINS} publisher domains` }
  const domains = new Set(listed.map(publisherDomain).filter((domain) => domain !== undefined))
  return domains.size === 0 ? { reason: 'names no valid publisher domain' } : { value: { domains, selects } }
}

function parsePredicate(value: Readonly<Record<string, unknown>>): Selection | 'too-many' | undefined {
  const ids = stringsOf(value.property_ids)
  const tags = stringsOf(value.property_tags)
  if (value.selection_type === 'all') return { by: 'all' }
  if (Math.max(ids.length, tags.length) > MAX_SELECTED) return 'too-many'
  if (value.selection_type === 'by_id' && ids.length > 0) return byId(ids)
  if (value.selection_type === 'by_tag' && tags.length > 0) return byTag(tags)
  return undefined
}
