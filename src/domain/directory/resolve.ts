import type { InlineFile } from './adagents-file.ts'
import type { AgentEntry } from './agent-entry.ts'
import type { Property } from './property.ts'

/** A file arranged so that one publisher's part of it is found without walking the rest. */
export interface FileIndex {
  readonly file: InlineFile
  /** Top-level properties by their explicit `publisher_domain`. */
  readonly explicit: ReadonlyMap<string, readonly Property[]>
  /** Top-level properties that leave their publisher to the file's location. */
  readonly implied: readonly Property[]
  /** Properties of `inline_properties` entries, by explicit domain and without one. */
  readonly inlineExplicit: ReadonlyMap<string, readonly Property[]>
  readonly inlineImplied: readonly Property[]
}

/** What a file grants one agent under one publisher domain. */
export interface Grant {
  readonly agent: string
  readonly properties: readonly Property[]
  /** Distinct ids of `properties`, ascending; its length is `properties_authorized`. */
  readonly propertyIds: readonly string[]
  /** Distinct properties of the publisher in the file, of any agent. */
  readonly total: number
  /** An entry that contributed pins signing keys. */
  readonly pinned: boolean
}

export interface GrantQuery {
  readonly publisher: string
  /** The file speaks for this publisher by its location, so properties without `publisher_domain` are the publisher's. */
  readonly impliedByLocation: boolean
  /** Unix milliseconds, for effective windows. */
  readonly now: number
}

export function indexFile(file: InlineFile): FileIndex {
  const inline = file.agents.flatMap((entry) => (entry.scope.kind === 'inline' ? entry.scope.properties : []))
  return {
    file,
    explicit: groupByDomain(file.properties),
    implied: file.properties.filter((property) => property.publisherDomain === undefined),
    inlineExplicit: groupByDomain(inline),
    inlineImplied: inline.filter((property) => property.publisherDomain === undefined),
  }
}

/**
 * Resolves every agent of a file against one publisher domain. Several entries for one agent add up; an agent that
 * resolves to no property is absent, as is everybody when the file revokes the publisher. Ids are local to their
 * publisher, so the same id under two domains is two properties.
 *
 * A selector is answered by the properties that name the publisher; where the file is the publisher's own, that is the
 * whole of its list, which is also what a federated fetch of it would apply the selector to.
 * Source: AdCP publisher directory page and the AdCP adagents page (authorization types, inline and federated resolution).
 */
export function grantsFor(index: FileIndex, query: GrantQuery): readonly Grant[] {
  if (index.file.revoked.has(query.publisher)) return []
  const pool = propertiesOf(index.explicit, index.implied, query)
  const inlinePool = propertiesOf(index.inlineExplicit, index.inlineImplied, query)
  if (pool.length === 0 && inlinePool.length === 0) return []
  const total = distinct(pool, inlinePool)
  const byAgent = new Map<string, { properties: Map<string, Property>; pinned: boolean }>()
  for (const entry of index.file.agents) {
    const matched = matchedBy(entry, pool, query)
    if (matched.length === 0) continue
    const grant = byAgent.get(entry.agent) ?? { properties: new Map<string, Property>(), pinned: false }
    for (const property of matched) if (!grant.properties.has(property.id)) grant.properties.set(property.id, property)
    grant.pinned ||= entry.pinsSigningKeys
    byAgent.set(entry.agent, grant)
  }
  return [...byAgent].map(([agent, { properties, pinned }]) => ({
    agent,
    properties: [...properties.values()],
    propertyIds: [...properties.keys()].sort(),
    total,
    pinned,
  }))
}

/** Distinct properties of a publisher in a file, of any agent, and whether or not the file revokes the publisher. */
export function countProperties(index: FileIndex, query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>): number {
  return distinct(
    propertiesOf(index.explicit, index.implied, query),
    propertiesOf(index.inlineExplicit, index.inlineImplied, query),
  )
}

/** Every domain that the file carries a property for, top-level or inline. */
export function domainsOf(index: FileIndex): ReadonlySet<string> {
  return new Set([...index.explicit.keys(), ...index.inlineExplicit.keys()])
}

/** Domains that a selector names and no property of this file answers: only their own file can (federated resolution). */
export function unansweredDomains(index: FileIndex): ReadonlySet<string> {
  const unanswered = new Set<string>()
  for (const { scope } of index.file.agents) {
    for (const selector of scope.kind === 'selectors' ? scope.selectors : []) {
      for (const domain of selector.domains) {
        if (!index.file.revoked.has(domain) && !index.explicit.get(domain)?.some(selector.selects)) unanswered.add(domain)
      }
    }
  }
  return unanswered
}

/** The next moment (Unix milliseconds) at which an effective window opens or closes; undefined when none will. */
export function nextWindowEdge(file: InlineFile, now: number): number | undefined {
  const edges = file.agents
    .flatMap((entry) => [entry.effectiveFrom, entry.effectiveUntil])
    .filter((edge) => edge > now && Number.isFinite(edge))
  return edges.length === 0 ? undefined : edges.reduce((first, edge) => Math.min(first, edge))
}

export function isInEffect(entry: AgentEntry, now: number): boolean {
  return entry.effectiveFrom <= now && now < entry.effectiveUntil
}

function matchedBy(entry: AgentEntry, pool: readonly Property[], query: GrantQuery): readonly Property[] {
  if (!isInEffect(entry, query.now)) return []
  const { scope } = entry
  switch (scope.kind) {
    case 'properties':
      return pool.filter(scope.selects)
    case 'inline':
      return scope.properties.filter((property) => belongsTo(property, query))
    case 'selectors': {
      const covering = scope.selectors.filter((selector) => selector.domains.has(query.publisher))
      return covering.length === 0 ? [] : pool.filter((property) => covering.some((selector) => selector.selects(property)))
    }
    case 'signals':
      return []
  }
}

function belongsTo(property: Property, query: GrantQuery): boolean {
  return property.publisherDomain === undefined ? query.impliedByLocation : property.publisherDomain === query.publisher
}

function propertiesOf(
  explicit: ReadonlyMap<string, readonly Property[]>,
  implied: readonly Property[],
  query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>,
): readonly Property[] {
  const named = explicit.get(query.publisher) ?? []
  return query.impliedByLocation && implied.length > 0 ? [...named, ...implied] : named
}

function distinct(...pools: readonly (readonly Property[])[]): number {
  return new Set(pools.flatMap((pool) => pool.map(({ id }) => id))).size
}

function groupByDomain(properties: readonly Property[]): ReadonlyMap<string, readonly Property[]> {
  const groups = new Map<string, Property[]>()
  for (const property of properties) {
    if (property.publisherDomain === undefined) continue
    const group = groups.get(property.publisherDomain)
    if (group) group.push(property)
    else groups.set(property.publisherDomain, [property])
  }
  return groups
}
