import type { Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { DiscoveryMethod } from '../directory/claim.ts'
import { type Property, stringsOf } from '../directory/property.ts'
import { type FileIndex, grantsInSteps, propertiesOf } from '../directory/resolve.ts'

/** Where the file that speaks for a publisher was found. */
export interface PropertySource {
  readonly publisher: string
  readonly method: DiscoveryMethod
  readonly manager: string | null
}

/** A manager's file lists thousands; an answer holds this many of one publisher's. */
const MOST_PROPERTIES = 500
const MOST_AGENTS = 200

/**
 * A publisher by the file that speaks for it (schemas/registry-openapi.json, Property). `now`: Unix milliseconds. Undefined when the file says
 * nothing of the publisher.
 */
export function* presentProperty(index: FileIndex, source: PropertySource, now: number): Steps<object | undefined> {
  const { publisher, method, manager } = source
  const own = method === 'direct' || method === 'authoritative_location'
  const query = { publisher, impliedByLocation: own }
  const [listed, inline] = [propertiesOf(index.listed, query), propertiesOf(index.inline, query)]
  const properties = [...listed.slice(0, MOST_PROPERTIES), ...inline.slice(0, MOST_PROPERTIES)].slice(0, MOST_PROPERTIES)
  if (!own && properties.length === 0) return undefined
  const grants = yield* grantsInSteps(index, { ...query, now, mostAgents: MOST_AGENTS })
  return {
    publisher_domain: publisher,
    source: own ? 'adagents_json' : 'discovered',
    verified: own,
    discovery_method: method,
    manager_domain: manager,
    authorized_agents: grants.map(({ agent, propertyIds }) => ({
      url: agent,
      property_ids: propertyIds.slice(0, MOST_PROPERTIES),
    })),
    properties: properties.map(presentOne),
    properties_total: listed.length + inline.length,
  }
}

function presentOne({ id, tags, raw }: Property): object {
  const identifiers = Array.isArray(raw.identifiers) ? raw.identifiers.filter(isObject) : []
  return {
    id,
    type: String(raw.property_type),
    name: String(raw.name),
    identifiers: identifiers.map(({ type, value }) => ({ type: String(type), value: String(value) })),
    tags: stringsOf(tags),
  }
}
