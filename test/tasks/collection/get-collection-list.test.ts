import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

const create = async (args: object) => {
  const { data } = await agent.run('create_collection_list', { name: 'L', ...args })
  return data as { list: { list_id: string }; auth_token: string }
}
const get = async (list_id: string, more: object = {}) =>
  (await agent.buyer.call('get_collection_list', { list_id, ...more })).data
const imdb = (...values: string[]) => ({
  selection_type: 'distribution_ids',
  identifiers: values.map((value) => ({ type: 'imdb_id', value })),
})

describe('get_collection_list', () => {
  it('shows what is known of a programme, and of an unknown one only its identifier', async () => {
    const { list } = await create({ base_collections: [imdb('tt1000001', 'tt555')], filters: { kinds: ['series'] } })
    const data = await get(list.list_id)
    expect(data.collections).toEqual([
      {
        name: 'Trail Notes',
        distribution_ids: [{ type: 'imdb_id', value: 'tt1000001' }],
        content_rating: { system: 'podcast', rating: 'clean' },
        genre: ['outdoor'],
        kind: 'series',
      },
      { name: 'imdb_id:tt555', distribution_ids: [{ type: 'imdb_id', value: 'tt555' }] },
    ])
    expect(data.coverage_gaps).toEqual({ kind: [{ type: 'imdb_id', value: 'tt555' }] })
    expect(data.ext.sales_agent.unresolved).toMatchObject([{ reason: 'identifier_unverified', count: 1 }])
    expect(data.cache_valid_until).toBe('2026-03-08T12:00:00.000Z')
  })

  it('resolves ids and genres of the publisher', async () => {
    const { list } = await create({
      base_collections: [
        { selection_type: 'publisher_collections', publisher_domain: 'acme.example', collection_ids: ['harbour_weekly', 'gone'] },
        { selection_type: 'publisher_genres', publisher_domain: 'acme.example', genres: ['Crime'], genre_taxonomy: 'custom' },
        { selection_type: 'publisher_genres', publisher_domain: 'acme.example', genres: ['crime'], genre_taxonomy: 'roku' },
      ],
    })
    const data = await get(list.list_id)
    expect(data.collections.map(({ name }: { name: string }) => name)).toEqual(['Harbour Weekly', 'Late Crimes'])
    expect(data.ext.sales_agent.unresolved).toEqual([
      { field: 'base_collections[0]', reason: 'no_such_collection', publisher_domain: 'acme.example', collection_ids: ['gone'] },
      { field: 'base_collections[2]', reason: 'no_collection_of_genre', publisher_domain: 'acme.example' },
    ])
  })

  it('pages programmes', async () => {
    const { list } = await create({ base_collections: [imdb('tt1', 'tt2', 'tt3')] })
    const first = await get(list.list_id, { pagination: { max_results: 2 } })
    const second = await get(list.list_id, { pagination: { max_results: 2, cursor: first.pagination.cursor } })
    expect([...first.collections, ...second.collections].map(({ name }) => name)).toEqual([
      'imdb_id:tt1',
      'imdb_id:tt2',
      'imdb_id:tt3',
    ])
    expect(second.pagination).toEqual({ has_more: false, total_count: 3 })
  })

  it('is the same as absent for others; its token fetches it', async () => {
    const { list, auth_token } = await create({ base_collections: [imdb('tt1')] })
    const absent = await get('cl_none')
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger', tenant: 'far' }))
    expect((await stranger.call('get_collection_list', { list_id: list.list_id })).data).toEqual(absent)
    const seller = agent.client(auth_token)
    expect((await seller.call('get_collection_list', { list_id: list.list_id })).data.collections).toHaveLength(1)
    expect((await seller.call('get_property_list', { list_id: list.list_id })).data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  })
})
