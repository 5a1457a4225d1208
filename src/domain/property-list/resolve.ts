import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import {
  type Identifier,
  IdentifierIndex,
  identifierKey,
  identifierSet,
  impliedPropertyType,
} from '../directory/property-identifier.ts'
import type { KnownProperty } from '../product/known-property.ts'

/** Where properties of a list come from. */
type Source =
  | { selection_type: 'publisher_tags'; publisher_domain: string; tags: string[] }
  | { selection_type: 'publisher_ids'; publisher_domain: string; property_ids: string[] }
  | { selection_type: 'identifiers'; identifiers: Identifier[] }

/** Which of them stay (AdCP property/property-list-filters.json). */
interface Filters {
  countries_all?: readonly string[]
  channels_any?: readonly string[]
  property_types?: readonly string[]
  feature_requirements?: readonly { readonly feature_id: string; readonly if_not_covered?: 'exclude' | 'include' }[]
  exclude_identifiers?: readonly Identifier[]
}

/** What a list says: where its properties come from and which of them stay. */
export interface PropertyListDefinition {
  /** Undefined: every property of the seller's own. */
  readonly base_properties?: readonly Source[] | undefined
  readonly filters?: Filters | undefined
}

/** What is known when a list is resolved. */
export interface PropertyKnowledge {
  /** The seller's own. */
  readonly own: readonly KnownProperty[]
  /** Of other publishers whose files are in the directory's index, by domain; an absent domain is not indexed. */
  readonly indexed: ReadonlyMap<string, readonly KnownProperty[]>
}

/** A part of the base that led nowhere, or to something that nothing is known of. Nothing is made up in its place. */
export interface Unresolved {
  /** Position in `base_properties`. */
  readonly source: number
  readonly reason: 'publisher_not_indexed' | 'no_such_property' | 'no_property_with_tag' | 'identifier_unverified'
  readonly publisherDomain?: string
  readonly propertyIds?: readonly string[]
  readonly identifiers?: readonly Identifier[]
}

export interface ResolvedPropertyList {
  /** In order of their spelling, each once. */
  readonly identifiers: readonly Identifier[]
  /** Included although the feature is unknown, by feature. */
  readonly coverageGaps: ReadonlyMap<string, readonly Identifier[]>
  /** Left out because `exclude_identifiers` names them. */
  readonly excluded: readonly Identifier[]
  /** Left out because a filter asks for something that is not known of them. */
  readonly notCovered: readonly Identifier[]
  readonly unresolved: readonly Unresolved[]
}

interface Candidate {
  readonly identifier: Identifier
  readonly property: KnownProperty | undefined
}

interface Search {
  readonly knowledge: PropertyKnowledge
  readonly known: IdentifierIndex<KnownProperty>
  /** Filled while the sources are walked. */
  readonly unresolved: Unresolved[]
}

/** `unknown`: a fact that the filter asks for is not known; a list leaves such properties out and says so where it can. */
type Answer = 'yes' | 'no' | 'unknown'

/**
 * Resolves a list. Direct identifiers represent themselves, known or not: the buyer named them. Tags and ids of a publisher lead only
 * to properties that its import or indexed file declares. Source: AdCP property/property-list.json, property-list-filters.json.
 */
export function* resolvePropertyList(list: PropertyListDefinition, knowledge: PropertyKnowledge): Steps<ResolvedPropertyList> {
  const unresolved: Unresolved[] = []
  const all = [...knowledge.own, ...[...knowledge.indexed.values()].flat()]
  const search: Search = { knowledge, known: new IdentifierIndex(all.flatMap(entriesOf)), unresolved }
  const byKey = new Map<string, Candidate>()
  const add = (candidate: Candidate) => byKey.set(identifierKey(candidate.identifier), candidate)
  if (!list.base_properties) yield* mapSteps(knowledge.own.flatMap(candidatesOfProperty), add)
  for (const [index, source] of (list.base_properties ?? []).entries())
    yield* mapSteps(yield* candidatesOf(source, index, search), add)
  const keys = [...byKey.keys()]
  yield
  keys.sort()
  yield
  const distinct = keys.flatMap((key) => byKey.get(key) ?? [])
  const excludedBy = identifierSet(list.filters?.exclude_identifiers ?? [])
  const passes = filterOf(list.filters ?? {})
  const found: Record<Answer | 'excluded', Identifier[]> = { yes: [], no: [], unknown: [], excluded: [] }
  yield* mapSteps(distinct, (candidate) => {
    const { identifier } = candidate
    found[excludedBy.has(identifier) ? 'excluded' : passes(candidate)].push(identifier)
  })
  const { yes: identifiers, excluded, unknown: notCovered } = found
  return { identifiers, coverageGaps: coverageGaps(list.filters, identifiers), excluded, notCovered, unresolved }
}

/** Publishers whose files a list needs, apart from the seller's own. */
export function publishersOf(list: PropertyListDefinition, ownDomain: string | undefined): string[] {
  const domains = (list.base_properties ?? []).flatMap((source) =>
    'publisher_domain' in source ? [source.publisher_domain] : [],
  )
  return [...new Set(domains)].filter((domain) => domain !== ownDomain)
}

function* candidatesOf(source: Source, index: number, { knowledge, known, unresolved }: Search): Steps<Candidate[]> {
  if (source.selection_type === 'identifiers') {
    const found = yield* mapSteps(source.identifiers, (identifier) => ({ identifier, property: known.find(identifier) }))
    const unverified = found.filter(({ property }) => !property).map(({ identifier }) => identifier)
    if (unverified.length > 0) unresolved.push({ source: index, reason: 'identifier_unverified', identifiers: unverified })
    return found
  }
  const publisherDomain = source.publisher_domain
  const properties = propertiesOf(publisherDomain, knowledge)
  if (!properties) {
    unresolved.push({ source: index, reason: 'publisher_not_indexed', publisherDomain })
    return []
  }
  if (source.selection_type === 'publisher_ids') {
    const wanted = new Set<string>(source.property_ids)
    const there = new Set(properties.map(({ propertyId }) => propertyId))
    const missing = [...wanted].filter((id) => !there.has(id))
    if (missing.length > 0) unresolved.push({ source: index, reason: 'no_such_property', publisherDomain, propertyIds: missing })
    return properties.filter(({ propertyId }) => wanted.has(propertyId)).flatMap(candidatesOfProperty)
  }
  const tags = new Set<string>(source.tags)
  const tagged = properties.filter((property) => property.tags.some((tag) => tags.has(tag)))
  if (tagged.length === 0) unresolved.push({ source: index, reason: 'no_property_with_tag', publisherDomain })
  return tagged.flatMap(candidatesOfProperty)
}

function propertiesOf(domain: string, { own, indexed }: PropertyKnowledge): readonly KnownProperty[] | undefined {
  const mine = own.filter(({ publisherDomain }) => publisherDomain === domain)
  return mine.length > 0 ? mine : indexed.get(domain)
}

function candidatesOfProperty(property: KnownProperty): Candidate[] {
  return property.identifiers.map((identifier) => ({ identifier, property }))
}

function entriesOf(property: KnownProperty): (readonly [Identifier, KnownProperty])[] {
  return property.identifiers.map((identifier) => [identifier, property] as const)
}

/** What the filters say of a candidate. Their lists are read once, not for each candidate. */
function filterOf(filters: Filters): (candidate: Candidate) => Answer {
  const types = filters.property_types && new Set<string>(filters.property_types)
  const channels = filters.channels_any && new Set<string>(filters.channels_any)
  const countries = filters.countries_all && [...new Set<string>(filters.countries_all)]
  // This agent measures no features, so none is ever covered: the requirement itself says what then (fail closed by default).
  const needsFeature = filters.feature_requirements?.some(({ if_not_covered }) => if_not_covered !== 'include') ?? false
  return ({ identifier, property }) => {
    const type = property?.type ?? impliedPropertyType(identifier)
    const answers: Answer[] = []
    if (types) answers.push(judge(type, (known) => types.has(known)))
    if (channels) answers.push(judge(property?.channels, (known) => known.some((channel) => channels.has(channel))))
    if (countries) {
      answers.push(
        judge(property?.countries, (known) => known === 'everywhere' || countries.every((country) => known.includes(country))),
      )
    }
    if (needsFeature) answers.push('unknown')
    if (answers.includes('no')) return 'no'
    return answers.includes('unknown') ? 'unknown' : 'yes'
  }
}

function judge<T>(fact: T | undefined, satisfies: (fact: T) => boolean): Answer {
  if (fact === undefined) return 'unknown'
  return satisfies(fact) ? 'yes' : 'no'
}

function coverageGaps(filters: Filters | undefined, kept: readonly Identifier[]): ReadonlyMap<string, readonly Identifier[]> {
  const open = (filters?.feature_requirements ?? []).filter(({ if_not_covered }) => if_not_covered === 'include')
  return new Map(kept.length > 0 ? open.map(({ feature_id }) => [feature_id, kept] as const) : [])
}
