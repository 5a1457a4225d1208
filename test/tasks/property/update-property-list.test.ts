import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('update_property_list', () => {
  it('replaces what is named whole and leaves the rest', async () => {
    const { data } = await agent.propertyList(['a.example', 'b.example'], {
      description: 'kept',
      filters: { exclude_identifiers: [{ type: 'domain', value: 'b.example' }] },
    })
    expect(data.list.property_count).toBe(1)
    const updated = await agent.run('update_property_list', {
      list_id: data.list.list_id,
      base_properties: [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'c.example' }] }],
      filters: {},
    })
    expect(updated.data.list).toMatchObject({ name: 'Approved', description: 'kept', filters: {}, property_count: 1 })
    const { identifiers } = (await agent.buyer.call('get_property_list', { list_id: data.list.list_id })).data
    expect(identifiers).toEqual([{ type: 'domain', value: 'c.example' }])
  })

  it('never returns the token again', async () => {
    const { data } = await agent.propertyList(['a.example'])
    const updated = await agent.run('update_property_list', { list_id: data.list.list_id, name: 'New' })
    expect(JSON.stringify(updated.raw)).not.toContain(data.auth_token)
  })

  it("cannot touch another agent's list", async () => {
    const { data } = await agent.propertyList(['a.example'])
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const reply = await agent.run('update_property_list', { list_id: data.list.list_id, name: 'Mine' }, stranger)
    expect(reply.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'list_id' })
    const kept = await agent.buyer.call('get_property_list', { list_id: data.list.list_id })
    expect(kept.data.list.name).toBe('Approved')
  })
})
