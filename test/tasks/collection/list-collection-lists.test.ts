import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('list_collection_lists', () => {
  it("pages the agent's collection lists and never shows property lists or others' lists", async () => {
    for (const name of ['A', 'B', 'C']) await agent.run('create_collection_list', { name })
    await agent.propertyList(['a.example'])
    const first = (await agent.buyer.call('list_collection_lists', { pagination: { max_results: 2 } })).data
    expect(first.pagination).toMatchObject({ has_more: true, total_count: 3 })
    const { cursor } = first.pagination
    const second = (await agent.buyer.call('list_collection_lists', { pagination: { max_results: 2, cursor } })).data
    expect(second.pagination).toEqual({ has_more: false, total_count: 3 })
    expect([...first.lists, ...second.lists].map(({ name }) => name).toSorted()).toEqual(['A', 'B', 'C'])
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await stranger.call('list_collection_lists')).data.lists).toEqual([])
    const mixed = await agent.buyer.call('list_property_lists', { pagination: { cursor } })
    expect(mixed.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })
})
