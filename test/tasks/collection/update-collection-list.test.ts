import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('update_collection_list', () => {
  it('replaces filters whole and counts anew', async () => {
    const { data } = await agent.run('create_collection_list', { name: 'L', filters: { kinds: ['publication'] } })
    expect(data.list.collection_count).toBe(1)
    const updated = await agent.run('update_collection_list', {
      list_id: data.list.list_id,
      filters: { genres_exclude: ['crime'] },
    })
    expect(updated.data.list).toMatchObject({ name: 'L', filters: { genres_exclude: ['crime'] }, collection_count: 2 })
  })

  it("cannot touch another agent's list", async () => {
    const { data } = await agent.run('create_collection_list', { name: 'L' })
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const reply = await agent.run('update_collection_list', { list_id: data.list.list_id, name: 'Mine' }, stranger)
    expect(reply.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'list_id' })
  })
})
