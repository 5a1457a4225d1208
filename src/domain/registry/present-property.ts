import { isObject } from '../../protocol/is-object.ts'
import type { DiscoveryMethod } from '../directory/claim.ts'
import { type Property, stringsOf } from '../directory/property.ts'
import { type FileIndex, grantsFor } from '../directory/resolve.ts'

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
export function presentProperty(index: FileIndex, source: PropertySource, now: number): object | undefined {
  const { publisher, method, manager } = source
  const own = method === 'direct' || method === 'authoritative_location'
  const properties = [
    ...(index.explicit.get(publisher) ?? []),
    ...(index.inlineExplicit.get(publisher) ?? []),
    ...(own ? [...index.implied, ...index.inlineImplied] : []),
  ]
  if (!own && properties.length === 0) return undefined
  const grants = grantsFor(index, { publisher, impliedByLocation: own, now, mostAgents: MOST_AGENTS })
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
    properties: properties.slice(0, MOST_PROPERTIES).map(presentOne),
    properties_total: properties.length,
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
