import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT, type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('create_collection_list', () => {
  it('stores the list with its count and hands out a token of its own', async () => {
    const args = {
      account: ACCOUNT,
      name: 'Approved programmes',
      base_collections: [{ selection_type: 'distribution_ids', identifiers: [{ type: 'imdb_id', value: 'tt9' }] }],
      filters: { kinds: ['series'] },
    }
    const { data } = await agent.run('create_collection_list', args)
    expect(data.list).toMatchObject({
      list_id: expect.stringMatching(/^cl_/),
      name: 'Approved programmes',
      account: { account_id: expect.any(String) },
      collection_count: 1,
      cache_duration_hours: 168,
    })
    const other = await agent.run('create_collection_list', args)
    expect(data.auth_token).toMatch(/^clt_/)
    expect(other.data.auth_token).not.toBe(data.auth_token)
    const rows = await agent.server.store.read.selectFrom('inventory_lists').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(data.auth_token)
  })

  it('without sources holds all that the publisher has', async () => {
    const { data } = await agent.run('create_collection_list', { name: 'All' })
    expect(data.list.collection_count).toBe(3)
  })
})
