import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
  const accounts = Array.from({ length: 5 }, (_, i) => ({
    brand: { domain: `b${i}.example` },
    operator: 'op.example',
    billing: 'agent',
    sandbox: i % 2 === 0,
  }))
  await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts })
})
afterAll(() => agent.stop())

describe('list_accounts', () => {
  it('pages through all without gaps or repeats', async () => {
    const names: string[] = []
    let cursor: string | undefined
    do {
      const { data } = await agent.buyer.call('list_accounts', { pagination: { max_results: 2, ...(cursor && { cursor }) } })
      expect(data.pagination).not.toHaveProperty('total_count')
      names.push(...data.accounts.map((account: { name: string }) => account.name))
      cursor = data.pagination.cursor
      expect(data.pagination.has_more).toBe(cursor !== undefined)
    } while (cursor)
    expect(names.toSorted()).toEqual([0, 1, 2, 3, 4].map((i) => `b${i}.example c/o op.example`))
  })

  it('filters in the query', async () => {
    expect((await agent.buyer.call('list_accounts', { sandbox: true })).data.accounts).toHaveLength(3)
    expect((await agent.buyer.call('list_accounts', { status: 'suspended' })).data.accounts).toHaveLength(0)
  })

  it('refuses a cursor of another query, naming the field', async () => {
    const { data } = await agent.buyer.call('list_accounts', { pagination: { max_results: 1 } })
    const reply = await agent.buyer.call('list_accounts', { sandbox: true, pagination: { cursor: data.pagination.cursor } })
    expect(reply.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it.each(['list_accounts', 'list_tasks'])('%s says what a reference to an account is', async (task) => {
    for (const account of [
      'demo',
      0,
      [],
      {},
      { account_id: 7 },
      { brand: 'b0.example', operator: 'op.example' },
      { brand: { domain: 'b0.example' } },
    ]) {
      const { data } = await agent.buyer.call(task, { account })
      expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: expect.stringMatching(/^account/) })
    }
  })

  it('shows an agent its own accounts only', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect((await stranger.call('list_accounts')).data.accounts).toEqual([])
  })
})

describe('list_accounts with --conformance', () => {
  it('shows what was opened for an agent until it declares an account of its own', async () => {
    const demo = await startAgent({ demo: true, conformance: true })
    try {
      const names = async () =>
        (await demo.buyer.call('list_accounts')).data.accounts.map((account: { name: string }) => account.name)
      expect(await names()).toEqual(['Demo brand (sandbox)'])
      const accounts = [{ brand: { domain: 'own.example' }, operator: 'op.example', billing: 'agent' }]
      await demo.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts })
      expect(await names()).toEqual(['own.example c/o op.example'])
    } finally {
      await demo.stop()
    }
  })
})
