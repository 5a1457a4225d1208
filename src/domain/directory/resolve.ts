import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import type { InlineFile } from './adagents-file.ts'
import type { AgentEntry } from './agent-entry.ts'
import { entriesByPublisher } from './entries-by-publisher.ts'
import type { Property } from './property.ts'
import { type PoolPart, PropertyPool } from './property-pool.ts'
import type { Selection } from './selector.ts'

/** Properties by their explicit `publisher_domain`, and those that leave their publisher to the file's location. */
interface ByPublisher {
  readonly explicit: ReadonlyMap<string, readonly Property[]>
  readonly implied: readonly Property[]
}

/** A file arranged so that one publisher's part of it is found without walking the rest. */
export interface FileIndex {
  readonly file: InlineFile
  /** Top-level properties. */
  readonly listed: ByPublisher
  /** Properties of all `inline_properties` entries. */
  readonly inline: ByPublisher
  /** Properties of each `inline_properties` entry. */
  readonly inlineOf: ReadonlyMap<AgentEntry, ByPublisher>
  /** Pools that were asked for, by publisher and whether properties without a publisher are its own. */
  readonly pools: Map<string, PropertyPool>
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
  /** Only this agent (canonical key). */
  readonly agent?: string
  /** Grants of the first agents of the file, as many as these. */
  readonly mostAgents?: number
}

export function* indexInSteps(file: InlineFile): Steps<FileIndex> {
  const inlineOf = new Map<AgentEntry, ByPublisher>()
  const entries = file.agents.flatMap((entry) => (entry.scope.kind === 'inline' ? [{ entry, ...entry.scope }] : []))
  for (const { entry, properties } of entries) inlineOf.set(entry, yield* byPublisher([properties]))
  return {
    file,
    listed: yield* byPublisher([file.properties]),
    inline: yield* byPublisher(entries.map(({ properties }) => properties)),
    inlineOf,
    pools: new Map(),
  }
}

/** As {@link indexInSteps}, at once: for a small file. */
export function indexFile(file: InlineFile): FileIndex {
  return atOnce(indexInSteps(file))
}

/**
 * Resolves the agents of a file against one publisher domain. Several entries for one agent add up; an agent that
 * resolves to no property is absent, as is everybody when the file revokes the publisher. Ids are local to their
 * publisher, so the same id under two domains is two properties. Agents with the same selection share one list.
 *
 * A selector is answered by the properties that name the publisher; where the file is the publisher's own, that is the
 * whole of its list, which is also what a federated fetch of it would apply the selector to.
 * Source: AdCP publisher directory page and the AdCP adagents page (authorization types, inline and federated resolution).
 */
export function* grantsInSteps(index: FileIndex, query: GrantQuery): Steps<readonly Grant[]> {
  const pool = yield* poolOf(index, query)
  const lists = new Map<string, readonly Property[]>()
  const grants: Grant[] = []
  for (const [agent, { parts, pinned }] of yield* scopesOf(index, query, pool)) {
    yield
    if (grants.length >= (query.mostAgents ?? Number.POSITIVE_INFINITY)) break
    const key = parts.map((part) => ('selection' in part ? keyOf(part.selection) : '')).join()
    const isShared = parts.every((part) => 'selection' in part)
    const known = isShared ? lists.get(key) : undefined
    const properties = known ?? pool.listOf(parts)
    if (isShared && !known) lists.set(key, properties)
    if (properties.length > 0) grants.push({ agent, properties, propertyIds: pool.idsOf(properties), total: pool.total, pinned })
  }
  return grants
}

/** As {@link grantsInSteps}, at once: for a part of a file, or a small one. */
export function grantsFor(index: FileIndex, query: GrantQuery): readonly Grant[] {
  return atOnce(grantsInSteps(index, query))
}

/** When a file lets agents sell at least one property of a publisher. */
export type SellingTimes = ReadonlyMap<string, readonly EffectiveWindow[]>

/** The effective windows of the entries by which each agent (canonical key) may sell a publisher, in time that does not grow with how much each may sell. */
export function* sellingTimes(index: FileIndex, query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>): Steps<SellingTimes> {
  const pool = yield* poolOf(index, query)
  const times = new Map<string, EffectiveWindow[]>()
  for (const entry of yield* entriesOf(index, query, pool)) {
    yield
    if (!pool.hasOne(partsOf(entry, index, query))) continue
    const known = times.get(entry.agent)
    if (known) known.push(entry)
    else times.set(entry.agent, [entry])
  }
  return times
}

/** Distinct properties of a publisher in a file, of any agent, and whether or not the file revokes the publisher. */
export function* countProperties(index: FileIndex, query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>): Steps<number> {
  return (yield* poolOf(index, query)).total
}

/** Every domain that the file carries a property for, top-level or inline. */
export function domainsOf(index: FileIndex): ReadonlySet<string> {
  return new Set([...index.listed.explicit.keys(), ...index.inline.explicit.keys()])
}

/** Domains that a selector names and no property of this file answers: only their own file can (federated resolution). */
export function* unansweredDomains(index: FileIndex): Steps<ReadonlySet<string>> {
  const unanswered = new Set<string>()
  const isAnswered = function* (publisher: string, selection: Selection): Steps<boolean> {
    if (!index.listed.explicit.has(publisher)) return false
    return (yield* poolOf(index, { publisher, impliedByLocation: false })).hasOne([{ selection }])
  }
  for (const { scope } of index.file.agents) {
    for (const selector of scope.kind === 'selectors' ? scope.selectors : []) {
      for (const domain of selector.domains) {
        yield
        if (!index.file.revoked.has(domain) && !(yield* isAnswered(domain, selector.selects))) unanswered.add(domain)
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

type EffectiveWindow = Pick<AgentEntry, 'effectiveFrom' | 'effectiveUntil'>

export function isInEffect({ effectiveFrom, effectiveUntil }: EffectiveWindow, now: number): boolean {
  return effectiveFrom <= now && now < effectiveUntil
}

interface AgentScope {
  readonly parts: PoolPart[]
  pinned: boolean
}

/** What the entries of each agent select of the publisher, in the order of the file; agents without an entry that may are absent. */
function* scopesOf(index: FileIndex, query: GrantQuery, pool: PropertyPool): Steps<ReadonlyMap<string, AgentScope>> {
  const scopes = new Map<string, AgentScope>()
  for (const entry of yield* entriesOf(index, query, pool)) {
    yield
    if ((query.agent !== undefined && entry.agent !== query.agent) || !isInEffect(entry, query.now)) continue
    const parts = partsOf(entry, index, query)
    if (!pool.hasOne(parts)) continue
    const scope = scopes.get(entry.agent) ?? { parts: [], pinned: false }
    scope.parts.push(...parts)
    scope.pinned ||= entry.pinsSigningKeys
    scopes.set(entry.agent, scope)
  }
  return scopes
}

/** Entries that may select something of a publisher. */
function* entriesOf(
  { file }: FileIndex,
  { publisher, impliedByLocation }: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>,
  pool: PropertyPool,
): Steps<readonly AgentEntry[]> {
  if (file.revoked.has(publisher) || pool.total === 0) return []
  return impliedByLocation ? file.agents : ((yield* entriesByPublisher(file)).get(publisher) ?? [])
}

function partsOf(
  entry: AgentEntry,
  { inlineOf }: FileIndex,
  query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>,
): readonly PoolPart[] {
  const { scope } = entry
  switch (scope.kind) {
    case 'properties':
      return [{ selection: scope.selects }]
    case 'inline': {
      const own = inlineOf.get(entry)
      return own ? [{ properties: propertiesOf(own, query) }] : []
    }
    case 'selectors':
      return scope.selectors.flatMap(({ domains, selects }) => (domains.has(query.publisher) ? [{ selection: selects }] : []))
    case 'signals':
      return []
  }
}

/** What a file has of a publisher. */
export function propertiesOf(
  { explicit, implied }: ByPublisher,
  { publisher, impliedByLocation }: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>,
): readonly Property[] {
  const named = explicit.get(publisher) ?? []
  return impliedByLocation && implied.length > 0 ? [...named, ...implied] : named
}

function* poolOf(index: FileIndex, query: Pick<GrantQuery, 'publisher' | 'impliedByLocation'>): Steps<PropertyPool> {
  const key = `${query.impliedByLocation} ${query.publisher}`
  const known = index.pools.get(key)
  if (known) return known
  const pool = yield* PropertyPool.of(propertiesOf(index.listed, query), propertiesOf(index.inline, query))
  index.pools.set(key, pool)
  return pool
}

function keyOf(selection: Selection): string {
  return selection.by === 'all' ? '"all"' : selection.key
}

/** Properties between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 512

function* byPublisher(lists: readonly (readonly Property[])[]): Steps<ByPublisher> {
  const explicit = new Map<string, Property[]>()
  const implied: Property[] = []
  for (const list of lists) {
    for (const [index, property] of list.entries()) {
      if (index % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
      const { publisherDomain: publisher } = property
      const group = publisher === undefined ? implied : explicit.get(publisher)
      if (group) group.push(property)
      else if (publisher !== undefined) explicit.set(publisher, [property])
    }
  }
  return { explicit, implied }
}
