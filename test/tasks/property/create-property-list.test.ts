import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT, type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'

let agent: ListsAgent

beforeAll(async () => {
  agent = await startListsAgent()
})
afterAll(() => agent.stop())

describe('create_property_list', () => {
  it('stores the list in the account, counts what it resolves to, and keeps the token only as a hash', async () => {
    const { data } = await agent.propertyList(['outdoor.example', 'hiking.example'], { brand: { domain: 'brand.example' } })
    expect(data.list).toMatchObject({
      list_id: expect.stringMatching(/^pl_/),
      name: 'Approved',
      account: { account_id: expect.any(String) },
      brand: { domain: 'brand.example' },
      property_count: 2,
      cache_duration_hours: 24,
      created_at: '2026-03-01T12:00:00.000Z',
    })
    expect(data.auth_token).toMatch(/^plt_[A-Za-z0-9_-]{43}$/)
    const rows = await agent.server.store.read.selectFrom('inventory_lists').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(data.auth_token)
  })

  it('without sources holds all that the publisher has', async () => {
    const { data } = await agent.run('create_property_list', { name: 'All' })
    expect(data.list.property_count).toBe(3)
    expect(data.list).not.toHaveProperty('base_properties')
  })

  it('is idempotent: the same key gives the same list and token', async () => {
    const args = { idempotency_key: 'create-list-0001', name: 'Once', account: ACCOUNT }
    const first = await agent.buyer.call('create_property_list', args)
    const second = await agent.buyer.call('create_property_list', args)
    expect(second.data).toMatchObject({ replayed: true, auth_token: first.data.auth_token, list: first.data.list })
    const listed = await agent.buyer.call('list_property_lists', { name_contains: 'Once' })
    expect(listed.data.lists).toHaveLength(1)
  })

  it('needs an account when there is none or more than one', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const none = await agent.run('create_property_list', { name: 'Nobody' }, stranger)
    expect(none.data.adcp_error).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', field: 'account' })
    const accounts = ['a', 'b'].map((name) => ({
      brand: { domain: `${name}.example` },
      operator: 'op.example',
      billing: 'agent',
    }))
    await agent.run('sync_accounts', { accounts }, stranger)
    const many = await agent.run('create_property_list', { name: 'Which' }, stranger)
    expect(many.data.adcp_error).toMatchObject({ code: 'ACCOUNT_AMBIGUOUS', field: 'account' })
  })

  it('refuses a blank and an endless name', async () => {
    for (const name of ['  ', 'x'.repeat(501)]) {
      const { data } = await agent.run('create_property_list', { name })
      expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'name' })
    }
  })
})
