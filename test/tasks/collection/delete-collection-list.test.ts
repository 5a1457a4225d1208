import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('delete_collection_list', () => {
  it('deletes the list and its token, for its owner only', async () => {
    const { data } = await agent.run('create_collection_list', { name: 'L' })
    const { list_id } = data.list
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await agent.run('delete_collection_list', { list_id }, stranger)).data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
    expect((await agent.run('delete_collection_list', { list_id })).data).toMatchObject({ deleted: true, list_id })
    expect((await agent.buyer.call('get_collection_list', { list_id })).data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
    expect((await agent.client(data.auth_token).call('get_collection_list', { list_id })).status).toBe(401)
  })
})
