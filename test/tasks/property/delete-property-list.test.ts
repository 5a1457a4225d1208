import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('delete_property_list', () => {
  it('deletes once; a retry with the same key replays, with another finds nothing', async () => {
    const { list } = (await agent.propertyList(['a.example'])).data
    const args = { list_id: list.list_id, idempotency_key: 'delete-list-0001' }
    expect((await agent.buyer.call('delete_property_list', args)).data).toMatchObject({ deleted: true, list_id: list.list_id })
    expect((await agent.buyer.call('delete_property_list', args)).data).toMatchObject({ deleted: true, replayed: true })
    const again = await agent.run('delete_property_list', { list_id: list.list_id })
    expect(again.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'list_id' })
  })

  it("leaves another agent's list alone, and a collection list of the same id", async () => {
    const { list } = (await agent.propertyList(['a.example'])).data
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await agent.run('delete_property_list', { list_id: list.list_id }, stranger)).isError).toBe(true)
    expect((await agent.run('delete_collection_list', { list_id: list.list_id })).isError).toBe(true)
    expect((await agent.buyer.call('get_property_list', { list_id: list.list_id })).isError).toBe(false)
  })
})
