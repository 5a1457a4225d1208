import { isObject } from '../../../protocol/is-object.ts'
import { parseProperty } from '../property.ts'
import { publisherDomain } from '../publisher-domain.ts'
import { type HostProperty, idList, propertiesOf } from './read-manifest.ts'
import type { Manifest, Path } from './types.ts'

/** Members of an entry that these rules understand, or that narrow nothing (AdCP adagents.json, authorized_agents). */
const KNOWN = [
  'url',
  'authorized_for',
  'authorization_type',
  'property_ids',
  'property_tags',
  'properties',
  'publisher_properties',
  'collections',
  'delegation_type',
  'exclusive',
  'signing_keys',
]
const KNOWN_OF_COLLECTIONS = ['publisher_domain', 'collection_ids']
const KNOWN_OF_PUBLISHERS = ['publisher_domain', 'publisher_domains', 'selection_type', 'property_ids', 'property_tags']

/** Whether an entry, or a selector in it, has a member that these rules cannot evaluate: a country, a time, a placement, anything new. */
export function hasUnknownConstraint(entry: Manifest): boolean {
  return (
    hasOther(entry, KNOWN) ||
    selectorsAt(entry, 'collections').some((each) => hasOther(each, KNOWN_OF_COLLECTIONS)) ||
    selectorsAt(entry, 'publisher_properties').some((each) => hasOther(each, KNOWN_OF_PUBLISHERS))
  )
}

/** Whether an entry is a well-formed grant of properties: a known `authorization_type` with the member that goes with it. */
export function isPropertyGrant(entry: Manifest): boolean {
  const { authorization_type: type, properties } = entry
  if (type === 'property_ids') return idList(entry.property_ids) !== undefined
  if (type === 'property_tags') return idList(entry.property_tags) !== undefined
  if (type === 'inline_properties') return isListOf(properties, (each) => 'value' in parseProperty(each))
  return type === 'publisher_properties' && isListOf(entry.publisher_properties, (each) => domainsOf(each) !== undefined)
}

/** Ids of the host's properties that an entry grants. */
export function grantedIds(entry: Manifest, path: Path): ReadonlySet<string> {
  if (!isPropertyGrant(entry)) return new Set()
  const { properties, isSound } = propertiesOf(path.host?.properties, path)
  if (entry.authorization_type === 'inline_properties') {
    const inline = propertiesOf(entry.properties, path)
    return new Set(inline.isSound ? inline.properties.map(({ id }) => id) : [])
  }
  if (!isSound) return new Set()
  const [ids, tags] = [idList(entry.property_ids) ?? [], idList(entry.property_tags) ?? []]
  switch (entry.authorization_type) {
    case 'property_ids':
      return idsOf(properties, ({ id }) => ids.includes(id))
    case 'property_tags':
      return idsOf(properties, (each) => each.tags.some((tag) => tags.includes(tag)))
    default:
      return idsOf(properties, (each) => selectorsAt(entry, 'publisher_properties').some((one) => selects(one, each, path)))
  }
}

function selects(selector: Manifest, property: HostProperty, { hostDomain }: Path): boolean {
  if (!domainsOf(selector)?.includes(hostDomain)) return false
  if (selector.selection_type === 'all') return true
  if (selector.selection_type === 'by_id') return idList(selector.property_ids)?.includes(property.id) === true
  return property.tags.some((tag) => idList(selector.property_tags)?.includes(tag))
}

/** Domains of a well-formed selector; ids are names within one publisher, so `by_id` takes a single domain. */
function domainsOf(selector: unknown): readonly string[] | undefined {
  if (!isObject(selector)) return undefined
  const { publisher_domain: one, publisher_domains: several, selection_type: type } = selector
  if ((one === undefined) === (several === undefined)) return undefined
  const named: unknown[] = Array.isArray(several) ? several : [one]
  const domains = named.flatMap((domain) => publisherDomain(domain) ?? [])
  if (domains.length === 0 || domains.length < named.length) return undefined
  if (type === 'by_id') return several === undefined && idList(selector.property_ids) ? domains : undefined
  if (type === 'by_tag') return idList(selector.property_tags) ? domains : undefined
  return type === 'all' ? domains : undefined
}

function idsOf(properties: readonly HostProperty[], wanted: (property: HostProperty) => boolean): ReadonlySet<string> {
  return new Set(properties.filter(wanted).map(({ id }) => id))
}

function hasOther(value: Manifest, known: readonly string[]): boolean {
  return Object.keys(value).some((name) => !known.includes(name))
}

function selectorsAt(entry: Manifest, name: string): readonly Manifest[] {
  const list = entry[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function isListOf(value: unknown, fits: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(fits)
}
