import { isObject } from '../../../protocol/is-object.ts'
import { agentKey } from '../agent-url.ts'
import { parseProperty } from '../property.ts'
import { publisherDomain } from '../publisher-domain.ts'
import type { Manifest, Path } from './types.ts'

/** AdCP core/property-id.json and core/property-tag.json. */
const ID = /^[a-z0-9_]{1,255}$/

/** A property of the host, by what selectors name. */
export interface HostProperty {
  readonly id: string
  readonly type: string
  readonly tags: readonly string[]
}

/** A list of ids or tags; undefined unless it is a list of at least one and every one of them is well formed. */
export function idList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const ids = value.filter((id): id is string => typeof id === 'string' && ID.test(id))
  return ids.length === value.length ? ids : undefined
}

/** The collections of a file that are the owner's. */
export function collectionsOf(file: Manifest | undefined, { ownerDomain, ownerMustBeNamed }: Path): readonly Manifest[] {
  return listAt(file, 'collections')
    .filter(isObject)
    .filter((each) => belongsTo(each.publisher_domain, ownerDomain, ownerMustBeNamed))
}

/** Entries of a file about the agent. */
export function entriesOf(file: Manifest | undefined, agent: string | undefined): readonly Manifest[] {
  if (agent === undefined) return []
  return listAt(file, 'authorized_agents')
    .filter(isObject)
    .filter(({ url }) => typeof url === 'string' && agentKey(url) === agent)
}

/**
 * Properties of a list that are the host's. `isSound` is false when one record of the list is no property, so that a grant cannot rest on
 * it.
 */
export function propertiesOf(
  list: unknown,
  { hostDomain, hostMustBeNamed }: Path,
): { readonly properties: readonly HostProperty[]; readonly isSound: boolean } {
  const parsed = (Array.isArray(list) ? list : []).map(parseProperty)
  const properties = parsed.flatMap((each) => {
    if ('reason' in each) return []
    const { id, tags, raw } = each.value
    if (!belongsTo(raw.publisher_domain, hostDomain, hostMustBeNamed)) return []
    return [{ id, tags, type: String(raw.property_type) }]
  })
  return { properties, isSound: parsed.every((each) => 'value' in each) }
}

/** Whether something with this `publisher_domain` is a domain's own; without one the place of the file says so, unless it is shared. */
export function belongsTo(named: unknown, domain: string, mustBeNamed: boolean): boolean {
  return named === undefined ? !mustBeNamed : publisherDomain(named) === domain
}

export function listAt(file: Manifest | undefined, name: string): readonly unknown[] {
  const list = file?.[name]
  return Array.isArray(list) ? list : []
}
