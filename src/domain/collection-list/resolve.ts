import type { CollectionList, GetCollectionListResponse } from '@adcp/sdk/types'
import type { CollectionDocument } from '../product/products-file.ts'

type Source = NonNullable<CollectionList['base_collections']>[number]
type Filters = NonNullable<CollectionList['filters']>
type DistributionId = Extract<Source, { selection_type: 'distribution_ids' }>['identifiers'][number]
/** One resolved programme as the protocol shows it. */
export type ResolvedCollection = NonNullable<GetCollectionListResponse['collections']>[number]

/** What a list says: where its programmes come from and which of them stay. */
export interface CollectionListDefinition {
  /** Undefined: every collection of the seller's own. */
  readonly base_collections?: readonly Source[] | undefined
  readonly filters?: Filters | undefined
}

/** Collections by publisher domain, of the seller's own and of indexed files. */
export interface CollectionKnowledge {
  readonly own: readonly CollectionDocument[]
  readonly byPublisher: ReadonlyMap<string, readonly CollectionDocument[]>
}

/** A part of the base that led nowhere, or to identifiers that nothing is known of. Nothing is made up in its place. */
export interface Unresolved {
  /** Position in `base_collections`. */
  readonly source: number
  readonly reason: 'publisher_not_indexed' | 'no_such_collection' | 'no_collection_of_genre' | 'identifier_unverified'
  readonly publisherDomain?: string
  readonly collectionIds?: readonly string[]
  readonly identifiers?: readonly DistributionId[]
}

export interface ResolvedCollectionList {
  readonly collections: readonly ResolvedCollection[]
  /** Included although a filtered dimension is unknown, by dimension. */
  readonly coverageGaps: ReadonlyMap<string, readonly DistributionId[]>
  readonly unresolved: readonly Unresolved[]
}

interface Candidate {
  readonly identifiers: readonly DistributionId[]
  readonly collection: CollectionDocument | undefined
}

/** What the filters of one dimension say of a collection: `gap` keeps it and reports that the dimension is not known. */
type Answer = 'keep' | 'drop' | 'gap'

/**
 * Resolves a list. Distribution identifiers represent themselves, known or not: the buyer named them. Include filters drop what has no metadata,
 * exclude filters keep it and report the gap. Source: AdCP collection/collection-list-filters.json, get-collection-list-response.json.
 */
export function resolveCollectionList(list: CollectionListDefinition, knowledge: CollectionKnowledge): ResolvedCollectionList {
  const unresolved: Unresolved[] = []
  const known = new Map<string, CollectionDocument>()
  for (const collection of [...knowledge.own, ...[...knowledge.byPublisher.values()].flat()]) {
    for (const identifier of identifiersOf(collection))
      if (!known.has(keyOf(identifier))) known.set(keyOf(identifier), collection)
  }
  const candidates = list.base_collections
    ? list.base_collections.flatMap((source, index) => candidatesOf(source, index, { knowledge, known, unresolved }))
    : knowledge.own.map(candidateOf)
  const gaps = new Map<string, DistributionId[]>()
  const judge = judgeOf(list.filters ?? {})
  const kept = distinct(candidates).filter((candidate) => {
    const answers = Object.entries(judge(candidate))
    if (answers.some(([, answer]) => answer === 'drop')) return false
    for (const [dimension, answer] of answers) {
      if (answer !== 'gap') continue
      const gap = gaps.get(dimension) ?? []
      gaps.set(dimension, gap)
      for (const identifier of candidate.identifiers) gap.push(identifier)
    }
    return true
  })
  return { collections: kept.map(present), coverageGaps: gaps, unresolved }
}

/** Publishers whose collections a list needs. */
export function publishersOf(list: CollectionListDefinition): string[] {
  return [
    ...new Set(
      (list.base_collections ?? []).flatMap((source) => ('publisher_domain' in source ? [source.publisher_domain] : [])),
    ),
  ]
}

/** A resolved collection's place in the order of the list; the same programme has the same key. */
export function collectionKey({ name, distribution_ids }: ResolvedCollection): string {
  return JSON.stringify([name, ...(distribution_ids ?? []).map(keyOf)])
}

interface Search {
  readonly knowledge: CollectionKnowledge
  readonly known: ReadonlyMap<string, CollectionDocument>
  readonly unresolved: Unresolved[]
}

function candidatesOf(source: Source, index: number, { knowledge, known, unresolved }: Search): Candidate[] {
  if (source.selection_type === 'distribution_ids') {
    const found = source.identifiers.map((identifier) => ({ identifier, collection: known.get(keyOf(identifier)) }))
    const unverified = found.filter(({ collection }) => !collection).map(({ identifier }) => identifier)
    if (unverified.length > 0) unresolved.push({ source: index, reason: 'identifier_unverified', identifiers: unverified })
    return found.map(({ identifier, collection }) =>
      collection ? candidateOf(collection) : { identifiers: [identifier], collection },
    )
  }
  const publisherDomain = source.publisher_domain
  const collections = knowledge.byPublisher.get(publisherDomain)
  if (!collections) {
    unresolved.push({ source: index, reason: 'publisher_not_indexed', publisherDomain })
    return []
  }
  if (source.selection_type === 'publisher_collections') {
    const wanted = new Set(source.collection_ids)
    const there = new Set(collections.map(({ collection_id }) => collection_id))
    const missing = source.collection_ids.filter((id) => !there.has(id))
    if (missing.length > 0)
      unresolved.push({ source: index, reason: 'no_such_collection', publisherDomain, collectionIds: missing })
    return collections.filter(({ collection_id }) => wanted.has(collection_id)).map(candidateOf)
  }
  const isWanted = isAnyOf(source.genres)
  const ofGenre = collections.filter(
    (collection) => speaks(collection, source.genre_taxonomy) && collection.genre?.some(isWanted),
  )
  if (ofGenre.length === 0) unresolved.push({ source: index, reason: 'no_collection_of_genre', publisherDomain })
  return ofGenre.map(candidateOf)
}

function candidateOf(collection: CollectionDocument): Candidate {
  return { identifiers: identifiersOf(collection), collection }
}

function identifiersOf({ distribution = [] }: CollectionDocument): DistributionId[] {
  const all = distribution.flatMap(({ identifiers }) => identifiers as readonly DistributionId[])
  return [...new Map(all.map((identifier) => [keyOf(identifier), { type: identifier.type, value: identifier.value }])).values()]
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<unknown>()
  return candidates.filter(({ identifiers, collection }) => {
    const key = collection ?? identifiers.map(keyOf).join(' ')
    return !seen.has(key) && seen.add(key)
  })
}

/** What the filters say of a candidate, by dimension. The lists of the filters are read once, not for each candidate. */
function judgeOf(filters: Filters): (candidate: Candidate) => Record<string, Answer> {
  const { content_ratings_include, content_ratings_exclude, genres_include, genres_exclude, genre_taxonomy } = filters
  const excluded = new Set(filters.exclude_distribution_ids?.map(keyOf))
  const ratingsIncluded = content_ratings_include && new Set(content_ratings_include.map(ratingKey))
  const ratingsExcluded = content_ratings_exclude && new Set(content_ratings_exclude.map(ratingKey))
  const kinds = filters.kinds && new Set<string>(filters.kinds)
  const qualities = filters.production_quality && new Set<string>(filters.production_quality)
  const isIncluded = genres_include && isAnyOf(genres_include)
  const isExcluded = genres_exclude && isAnyOf(genres_exclude)
  return ({ identifiers, collection }) => {
    const rating = collection?.content_rating && ratingKey(collection.content_rating)
    // Genres of another taxonomy say nothing in this one.
    const genre = collection && speaks(collection, genre_taxonomy) ? collection.genre : undefined
    // A known collection without a kind is a series (AdCP core/collection.json); an unknown one has none.
    const kind = collection && (collection.kind ?? 'series')
    return {
      distribution_id: identifiers.some((own) => excluded.has(keyOf(own))) ? 'drop' : 'keep',
      content_rating: both(
        ratingsIncluded && (rating !== undefined && ratingsIncluded.has(rating) ? 'keep' : 'drop'),
        ratingsExcluded && (rating === undefined ? 'gap' : ratingsExcluded.has(rating) ? 'drop' : 'keep'),
      ),
      genre: both(
        isIncluded && (genre?.some(isIncluded) ? 'keep' : 'drop'),
        isExcluded && (genre === undefined ? 'gap' : genre.some(isExcluded) ? 'drop' : 'keep'),
      ),
      kind: oneOf(kind, kinds),
      production_quality: oneOf(collection?.production_quality, qualities),
    }
  }
}

function both(include: Answer | undefined, exclude: Answer | undefined): Answer {
  return include === 'drop' ? 'drop' : (exclude ?? 'keep')
}

function oneOf(value: string | undefined, wanted: ReadonlySet<string> | undefined): Answer {
  if (!wanted) return 'keep'
  if (value === undefined) return 'gap'
  return wanted.has(value) ? 'keep' : 'drop'
}

/** Whether a genre is one of a list, in any letter case. */
function isAnyOf(genres: readonly string[]): (genre: string) => boolean {
  const wanted = new Set(genres.map((genre) => genre.toLowerCase()))
  return (genre) => wanted.has(genre.toLowerCase())
}

function ratingKey({ system, rating }: { readonly system: string; readonly rating: string }): string {
  return `${system}:${rating.toLowerCase()}`
}

/** Whether the genres of a collection are of a taxonomy; free-form ones are `custom`. */
function speaks(collection: CollectionDocument, taxonomy: string | undefined): boolean {
  return taxonomy === undefined || (collection.genre_taxonomy ?? 'custom') === taxonomy
}

function keyOf({ type, value }: { readonly type: string; readonly value: string }): string {
  return `${type}:${value}`
}

/** An unknown programme goes by the identifier that the buyer gave: a name would be made up. */
function present({ identifiers, collection }: Candidate): ResolvedCollection {
  const { name, content_rating, genre, genre_taxonomy, kind } = collection ?? {}
  const first = identifiers[0]
  return {
    name: name ?? (first ? keyOf(first) : ''),
    ...(identifiers.length > 0 && { distribution_ids: [...identifiers] }),
    ...(content_rating && { content_rating: content_rating as NonNullable<ResolvedCollection['content_rating']> }),
    ...(genre && { genre: [...genre] }),
    ...(genre_taxonomy && { genre_taxonomy: genre_taxonomy as NonNullable<ResolvedCollection['genre_taxonomy']> }),
    ...(kind && { kind: kind as NonNullable<ResolvedCollection['kind']> }),
  }
}
