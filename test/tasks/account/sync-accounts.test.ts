import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setAgentBilling } from '../../../src/store/identity/principals.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

const sync = (accounts: object[], more: object = {}) =>
  agent.buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts, ...more })
const entry = (brand: string, operator: string, more: object = {}) => ({
  brand: { domain: brand },
  operator,
  billing: 'operator',
  ...more,
})

describe('sync_accounts', () => {
  it('creates, leaves alone and updates by natural key', async () => {
    const created = await sync([entry('nova.example', 'agency.example', { payment_terms: 'net_30' })])
    expect(created.data.accounts[0]).toMatchObject({
      action: 'created',
      status: 'active',
      name: 'nova.example c/o agency.example',
      brand: { domain: 'nova.example' },
      operator: 'agency.example',
      billing: 'operator',
      payment_terms: 'net_30',
    })
    const again = await sync([entry('nova.example', 'agency.example', { payment_terms: 'net_30' })])
    expect(again.data.accounts[0]).toMatchObject({ action: 'unchanged', account_id: created.data.accounts[0].account_id })
    const changed = await sync([entry('nova.example', 'agency.example', { payment_terms: 'net_60' })])
    expect(changed.data.accounts[0]).toMatchObject({
      action: 'updated',
      payment_terms: 'net_60',
      account_id: created.data.accounts[0].account_id,
    })
  })

  it('a sandbox account is another account', async () => {
    const { data } = await sync([entry('pair.example', 'pair.example'), entry('pair.example', 'pair.example', { sandbox: true })])
    expect(data.accounts.map((account: { action: string }) => account.action)).toEqual(['created', 'created'])
    expect(data.accounts[0].account_id).not.toBe(data.accounts[1].account_id)
    expect(data.accounts[1].sandbox).toBe(true)
  })

  it('never returns or keeps bank details', async () => {
    const entity = { legal_name: 'Pine GmbH', bank: { account_holder: 'Pine GmbH', iban: 'DE75512108001245126199' } }
    const { raw, data } = await sync([entry('pine.example', 'pine.example', { billing_entity: entity })])
    expect(data.accounts[0].billing_entity).toEqual({ legal_name: 'Pine GmbH' })
    expect(JSON.stringify(raw)).not.toContain('DE7551')
    const rows = await agent.server.store.read.selectFrom('accounts').select('document').execute()
    expect(JSON.stringify(rows)).not.toContain('DE7551')
  })

  it('dry_run changes nothing', async () => {
    const { data } = await sync([entry('dry.example', 'dry.example')], { dry_run: true })
    expect(data).toMatchObject({ dry_run: true, accounts: [{ action: 'created' }] })
    const listed = await agent.buyer.call('list_accounts')
    expect(listed.data.accounts.map((account: { name: string }) => account.name)).not.toContain('dry.example')
  })

  it('reports a double declaration per entry', async () => {
    const { data } = await sync([entry('twice.example', 'twice.example'), entry('twice.example', 'twice.example')])
    expect(data.accounts[0].action).toBe('created')
    expect(data.accounts[1]).toMatchObject({ action: 'failed', status: 'rejected', errors: [{ code: 'VALIDATION_ERROR' }] })
  })

  it('refuses a billing party that is not agreed with the agent, and suggests one', async () => {
    const key = await agent.addBuyer({ principal: 'passthrough', tenant: 'terms' })
    const { store } = agent.server
    await store.transaction((tx) => saveTenantSettings(tx, 'terms', { billing: ['operator', 'agent'] }))
    await store.transaction((tx) => setAgentBilling(tx, 'terms', 'passthrough', ['operator', 'advertiser']))
    const declare = async (billing: string) => {
      const accounts = [entry('x.example', 'y.example', { billing })]
      return (await agent.client(key).call('sync_accounts', { idempotency_key: randomUUID(), accounts })).data.accounts[0]
    }
    const refused = await declare('agent')
    expect(refused).toMatchObject({ action: 'failed', status: 'rejected' })
    expect(refused.errors[0]).toMatchObject({ code: 'BILLING_NOT_PERMITTED_FOR_AGENT', recovery: 'correctable' })
    expect(refused.errors[0].details).toEqual({ rejected_billing: 'agent', suggested_billing: 'operator' })
    // What the publisher offers to nobody has the code that says so, whatever was agreed.
    expect((await declare('advertiser')).errors[0].code).toBe('BILLING_NOT_SUPPORTED')
    expect(await declare('operator')).toMatchObject({ action: 'created', billing: 'operator' })
    await store.transaction((tx) => setAgentBilling(tx, 'terms', 'passthrough', ['advertiser']))
    expect((await declare('agent')).errors[0].details).toEqual({ rejected_billing: 'agent' })
    await store.transaction((tx) => setAgentBilling(tx, 'terms', 'passthrough', undefined))
    expect(await declare('agent')).toMatchObject({ action: 'updated', billing: 'agent' })
  })

  it('refuses a billing party that the publisher does not offer', async () => {
    const key = await agent.addBuyer({ principal: 'b', tenant: 'strict' })
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'strict', { billing: ['agent'] }))
    const { data } = await agent
      .client(key)
      .call('sync_accounts', { idempotency_key: randomUUID(), accounts: [entry('x.example', 'x.example')] })
    expect(data.accounts[0]).toMatchObject({
      action: 'failed',
      status: 'rejected',
      errors: [{ code: 'BILLING_NOT_SUPPORTED', field: 'billing', details: { scope: 'capability' } }],
    })
  })

  it('delete_missing closes what is not named, of this agent only', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'neighbour' }))
    await other.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [entry('theirs.example', 'theirs.example')] })
    // More than are read at once.
    await sync(Array.from({ length: 230 }, (_, at) => entry(`gone${at}.example`, `gone${at}.example`)))
    await sync([entry('kept.example', 'kept.example')], { delete_missing: true })
    const open = await agent.buyer.call('list_accounts', { status: 'active' })
    expect(open.data.accounts.map((account: { name: string }) => account.name)).toEqual(['kept.example'])
    const theirs = await other.call('list_accounts', { status: 'active' })
    expect(theirs.data.accounts).toHaveLength(1)
  })
})
