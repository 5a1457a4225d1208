import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let now = new Date('2026-01-01T00:00:00Z')

beforeAll(async () => {
  agent = await startAgent({ clock: () => now })
})
afterAll(() => agent.stop())

const entry = (domain: string, more: object = {}) => ({ brand: { domain }, operator: domain, billing: 'operator', ...more })
const names = async () => (await agent.buyer.call('list_accounts')).data.accounts.map((a: { name: string }) => a.name)

describe('idempotent replay', () => {
  it('replays the stored answer with the current context', async () => {
    const request = { idempotency_key: randomUUID(), accounts: [entry('one.example')] }
    const first = await agent.buyer.call('sync_accounts', { ...request, context: { n: 1 } })
    const second = await agent.buyer.call('sync_accounts', { ...request, context: { n: 2 } })
    expect(first.data).not.toHaveProperty('replayed')
    expect(second.data.replayed).toBe(true)
    expect(second.data.context).toEqual({ n: 2 })
    expect(second.data.accounts).toEqual(first.data.accounts)
    expect(first.data.accounts[0].action).toBe('created')
  })

  it('refuses another payload under the same key, without a hint', async () => {
    const key = randomUUID()
    await agent.buyer.call('sync_accounts', { idempotency_key: key, accounts: [entry('two.example')] })
    const other = await agent.buyer.call('sync_accounts', { idempotency_key: key, accounts: [entry('three.example')] })
    expect(other.data.adcp_error).toEqual({ code: 'IDEMPOTENCY_CONFLICT', message: expect.any(String) })
    expect(await names()).not.toContain('three.example')
  })

  it('a failed request releases its key', async () => {
    const key = randomUUID()
    const bad = await agent.buyer.call('sync_accounts', {
      idempotency_key: key,
      accounts: [entry('four.example', { billing: 'x' })],
    })
    expect(bad.isError).toBe(true)
    const good = await agent.buyer.call('sync_accounts', { idempotency_key: key, accounts: [entry('four.example')] })
    expect(good.data.accounts[0].action).toBe('created')
    expect(good.data).not.toHaveProperty('replayed')
  })

  it('keeps keys of different principals apart', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'other' }))
    const request = { idempotency_key: randomUUID(), accounts: [entry('five.example')] }
    const mine = await agent.buyer.call('sync_accounts', request)
    const theirs = await other.call('sync_accounts', request)
    expect(theirs.data).not.toHaveProperty('replayed')
    expect(theirs.data.accounts[0].account_id).not.toBe(mine.data.accounts[0].account_id)
  })

  it('runs concurrent duplicates once', async () => {
    const request = { idempotency_key: randomUUID(), accounts: [entry('six.example')] }
    const replies = await Promise.all(Array.from({ length: 16 }, () => agent.buyer.call('sync_accounts', request)))
    expect(new Set(replies.map((reply) => reply.data.accounts[0].account_id)).size).toBe(1)
    expect(replies.filter((reply) => reply.data.replayed !== true)).toHaveLength(1)
  })

  it('a duplicate in the same hash ignores the listed fields only', async () => {
    const request = { idempotency_key: randomUUID(), accounts: [entry('seven.example')] }
    await agent.buyer.call('sync_accounts', { ...request, governance_context: 'a' })
    const replayed = await agent.buyer.call('sync_accounts', { ...request, governance_context: 'b' })
    expect(replayed.data.replayed).toBe(true)
    const changed = await agent.buyer.call('sync_accounts', { ...request, ext: { a: 1 } })
    expect(changed.data.adcp_error.code).toBe('IDEMPOTENCY_CONFLICT')
  })

  it('answers EXPIRED after the time to live, from the tombstone', async () => {
    const request = { idempotency_key: randomUUID(), accounts: [entry('eight.example')] }
    await agent.buyer.call('sync_accounts', request)
    now = new Date(now.getTime() + 86_400_000 + 1000)
    const late = await agent.buyer.call('sync_accounts', request)
    expect(late.data.adcp_error).toMatchObject({ code: 'IDEMPOTENCY_EXPIRED', recovery: 'correctable' })
  })

  it('a read may carry a key and is replayed', async () => {
    const request = { idempotency_key: randomUUID() }
    const first = await agent.buyer.call('list_accounts', request)
    await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [entry('nine.example')] })
    const second = await agent.buyer.call('list_accounts', request)
    expect(second.data.replayed).toBe(true)
    expect(second.data.accounts).toEqual(first.data.accounts)
  })

  it('a key has one effect, whether or not the tasks name an account', async () => {
    const account = { brand: { domain: 'ten.example' }, operator: 'ten.example' }
    await agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [entry('ten.example')] })
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', message: expect.any(String) }
    const key = randomUUID()
    const list = { idempotency_key: key, account, name: 'Mine' }
    expect((await agent.buyer.call('create_property_list', list)).isError).toBe(false)
    const accounts = await agent.buyer.call('sync_accounts', { idempotency_key: key, accounts: [entry('eleven.example')] })
    expect(accounts.data.adcp_error).toEqual(conflict)
    expect(await names()).not.toContain('eleven.example')

    const other = randomUUID()
    await agent.buyer.call('sync_accounts', { idempotency_key: other, accounts: [entry('twelve.example')] })
    expect((await agent.buyer.call('create_property_list', { ...list, idempotency_key: other })).data.adcp_error).toEqual(
      conflict,
    )
    const elsewhere = { ...account, brand: { domain: 'twelve.example' }, operator: 'twelve.example' }
    expect((await agent.buyer.call('create_property_list', { ...list, account: elsewhere })).data.adcp_error).toEqual(conflict)
    const { data } = await agent.buyer.call('list_property_lists', {})
    expect(data.lists.map(({ name }: { name: string }) => name)).toEqual(['Mine'])
  })
})
