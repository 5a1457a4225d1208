import { describe, expect, it } from 'vitest'
import { type CollectionListDefinition, resolveCollectionList } from '../../../src/domain/collection-list/resolve.ts'
import { counted, type Reads } from '../../support/counted.ts'

const COUNT = 300
const ids = (prefix: string) =>
  Array.from({ length: COUNT }, (_, index) => ({ type: 'imdb_id' as const, value: `${prefix}${index}` }))
const words = (prefix: string) => Array.from({ length: COUNT }, (_, index) => `${prefix}${index}`)
const rating = { system: 'tv_parental', rating: 'TV-MA' } as const
const own = words('show').map((name, index) => ({
  collection_id: name,
  name,
  genre: ['Drama', 'News'],
  content_rating: rating,
  distribution: [{ publisher_domain: 'far.example', identifiers: [{ type: 'imdb_id' as const, value: `own${index}` }] }],
}))
const knowledge = { own, byPublisher: new Map([['far.example', own]]) }
const resolve = (list: CollectionListDefinition) => resolveCollectionList(list, knowledge)

describe('resolveCollectionList', () => {
  it.each([
    ['exclude_distribution_ids', ids('other')],
    ['genres_exclude', words('genre')],
    ['genres_include', [...words('genre'), 'drama']],
    ['content_ratings_exclude', words('R').map((each) => ({ system: 'mpaa' as const, rating: each }))],
    ['kinds', Array.from({ length: COUNT }, (_, index) => (index === COUNT - 1 ? 'series' : 'publication'))],
  ] as const)('reads each item of %s a fixed number of times', (name, items) => {
    const reads: Reads = { count: 0 }
    const { collections } = resolve({ filters: { [name]: counted([...items], reads) } })
    expect(collections).toHaveLength(COUNT)
    expect(reads.count).toBeLessThanOrEqual(4 * (COUNT + 1))
  })

  it.each([
    { selection_type: 'publisher_collections', member: 'collection_ids', items: words('show'), found: COUNT },
    { selection_type: 'publisher_genres', member: 'genres', items: [...words('genre'), 'NEWS'], found: COUNT },
  ] as const)('reads each item of $member a fixed number of times', ({ selection_type, member, items, found }) => {
    const reads: Reads = { count: 0 }
    const source = { selection_type, publisher_domain: 'far.example', [member]: counted([...items], reads) }
    expect(resolve({ base_collections: [source as never] }).collections).toHaveLength(found)
    expect(reads.count).toBeLessThanOrEqual(6 * (COUNT + 1))
  })

  it('leaves out what filters exclude, in any letter case, and reports each gap once in order', () => {
    expect(resolve({ filters: { genres_exclude: ['DRAMA'] } }).collections).toEqual([])
    expect(resolve({ filters: { content_ratings_exclude: [{ ...rating, rating: 'tv-ma' }] } }).collections).toEqual([])
    expect(resolve({ filters: { exclude_distribution_ids: ids('own').slice(1) } }).collections.map(({ name }) => name)).toEqual([
      'show0',
    ])
    const unknown = ids('unknown')
    const { coverageGaps } = resolve({
      base_collections: [{ selection_type: 'distribution_ids', identifiers: unknown as never }],
      filters: { genres_exclude: ['drama'] },
    })
    expect(coverageGaps.get('genre')).toEqual(unknown)
  })
})
