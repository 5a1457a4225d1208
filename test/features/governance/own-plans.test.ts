import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentClient } from '../../support/client.ts'
import { type GovernedAgent, startGovernedAgent } from '../../support/governed-agent.ts'

let agent: GovernedAgent

beforeAll(async () => {
  agent = await startGovernedAgent({ sandbox: true })
})
afterAll(() => agent.stop())

const FLIGHT = { start: '2026-03-01T00:00:00Z', end: '2026-04-30T00:00:00Z' }
const plan = (planId: string, total: number, more: object = {}) => ({
  plan_id: planId,
  brand: { domain: 'brand.example' },
  objectives: 'Spring',
  budget: { total, currency: 'USD', reallocation_threshold: total },
  flight: FLIGHT,
  ...more,
})

async function sync(plans: readonly object[], client: AgentClient = agent.buyer) {
  const { data, isError } = await client.call('sync_plans', { idempotency_key: randomUUID(), plans })
  expect(isError, JSON.stringify(data)).toBe(false)
}

async function newBuyer(sandbox = false) {
  const client = agent.client(await agent.addBuyer({ principal: randomUUID(), sandbox }))
  const declared = await agent.run(
    'sync_accounts',
    { accounts: [{ ...ACCOUNT, billing: 'operator' }], account: undefined },
    client,
  )
  expect(declared.isError).toBe(false)
  return client
}
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

async function checksOf(planId: string, client: AgentClient) {
  const { data } = await client.call('get_plan_audit_logs', { plan_ids: [planId], include_entries: true })
  return data.plans[0].entries.filter((entry: { type: string }) => entry.type === 'check')
}

describe('plans that are kept by the seller itself', () => {
  it('govern the purchases of their brand, without a word about them', async () => {
    const client = await newBuyer()
    await sync([plan('small', 500)], client)
    const denied = await agent.create({}, client)
    expect(denied.data.adcp_error).toMatchObject({ code: 'GOVERNANCE_DENIED', details: { plan_id: 'small' } })
    expect(denied.data.adcp_error.details.findings.length).toBeGreaterThan(0)
    await sync([plan('small', 5000)], client)
    const { data } = await agent.create({}, client)
    expect(data.ext.governance).toMatchObject({ plan_id: 'small', checks: [{ agent_url: agent.url, status: 'approved' }] })
    expect(data.governance_context).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(await checksOf('small', client)).toHaveLength(2)
  })

  it('do not govern another brand, nor another buyer', async () => {
    const [client, other] = [await newBuyer(), await newBuyer()]
    await sync([plan('theirs', 1)], client)
    const foreign = await agent.create({ brand: { domain: 'other.example' } }, client)
    expect(foreign.data.media_buy_id).toBeDefined()
    expect(foreign.data).not.toHaveProperty('ext.governance')
    expect((await agent.create({}, other)).data.media_buy_id).toBeDefined()
  })

  it('count as named: the plan of the request before the newest', async () => {
    const client = await newBuyer()
    await sync([plan('large', 5000)], client)
    await sync([plan('tiny', 1)], client)
    expect((await agent.create({ plan_id: 'large' }, client)).data.media_buy_id).toBeDefined()
    expect((await agent.create({}, client)).data.adcp_error.details.plan_id).toBe('tiny')
  })

  it('govern each purchase for itself: a larger one after a smaller', async () => {
    const client = await newBuyer()
    await sync([plan('many', 9000)], client)
    const budget = (amount: number) => ({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: amount }] })
    expect((await agent.create(budget(1000), client)).data.media_buy_id).toBeDefined()
    expect((await agent.create(budget(4000), client)).data.media_buy_id).toBeDefined()
    expect((await agent.create(budget(9500), client)).data.adcp_error.code).toBe('GOVERNANCE_DENIED')
  })

  it('are asked again when more is committed, and a denial changes nothing', async () => {
    const client = await newBuyer()
    await sync([plan('grows', 1200)], client)
    const { data: created } = await agent.create({}, client)
    const packages = (budget: number) => [{ package_id: created.packages[0].package_id, budget }]
    const update = (budget: number, more: object = {}) =>
      agent.run('update_media_buy', { media_buy_id: created.media_buy_id, packages: packages(budget), ...more }, client)
    expect((await update(1500)).data.adcp_error.code).toBe('GOVERNANCE_DENIED')
    const { data: intent } = await client.call('check_governance', {
      plan_id: 'grows',
      caller: 'https://buyer.example/agent',
      phase: 'modification',
      tool: 'update_media_buy',
      payload: { media_buy_id: created.media_buy_id, packages: packages(1100) },
      governance_context: created.governance_context,
    })
    expect(intent.status).toBe('approved')
    const { data } = await update(1100, { governance_context: intent.governance_context })
    expect(data).toMatchObject({ media_buy_id: created.media_buy_id, ext: { governance: { plan_id: 'grows' } } })
  })

  it("verify the tokens that they have given out, whoever presents another's", async () => {
    const client = await newBuyer()
    await sync([plan('signed', 5000)], client)
    const { data: intent } = await client.call('check_governance', {
      plan_id: 'signed',
      caller: 'https://buyer.example/agent',
      tool: 'create_media_buy',
      payload: { packages: [{ budget: 1000 }] },
    })
    expect(intent.status).toBe('approved')
    const bought = await agent.create({ governance_context: intent.governance_context }, client)
    expect(bought.data.ext.governance.plan_id).toBe('signed')
    const again = await agent.create({ governance_context: intent.governance_context }, client)
    expect(again.data.adcp_error.code).toBe('PERMISSION_DENIED')
    const [head, claims, signature = ''] = intent.governance_context.split('.')
    const forged = await agent.create(
      { governance_context: `${head}.${claims}.${signature.split('').reverse().join('')}` },
      client,
    )
    expect(forged.data.adcp_error.code).toBe('PERMISSION_DENIED')
  })

  it('are needed where this agent is registered as the governance agent of an account', async () => {
    const client = await newBuyer()
    // The address of this server is plain http, which no request may register: what a public server does is written as it would be.
    const { data } = await client.call('list_accounts', {})
    const { replaceGovernanceAgents } = await import('../../../src/store/governance/governance-agents.ts')
    const [{ account_id: accountId }] = data.accounts
    const own = { url: agent.url, scheme: 'Bearer', credentials: 'unused', categories: undefined } as const
    await agent.server.store.transaction((tx) =>
      replaceGovernanceAgents(tx, { tenantId: 'acme', principalId: 'x' }, accountId, [own], new Date()),
    )
    expect((await agent.create({ plan_id: 'nobody-knows' }, client)).data.adcp_error.code).toBe('PLAN_NOT_FOUND')
    expect((await agent.create({}, client)).data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'plan_id' })
    await sync([plan('registered', 5000)], client)
    expect((await agent.create({}, client)).data.ext.governance.plan_id).toBe('registered')
  })
})

describe('a sandbox', () => {
  it('calls no governance agent outside this machine: the plans kept here stand for it', async () => {
    const client = await newBuyer(true)
    const registered = await client.call('sync_governance', {
      idempotency_key: randomUUID(),
      accounts: [
        {
          account: ACCOUNT,
          governance_agents: [
            {
              url: agent.governance.url,
              authentication: { schemes: ['Bearer'], credentials: 'sandbox-token-0123456789abcdef0123456789' },
            },
          ],
        },
      ],
    })
    expect(registered.data.accounts[0].status).toBe('synced')
    agent.governance.decide(() => 'hang')
    expect((await agent.create({}, client)).data.media_buy_id).toBeDefined()
    await sync([plan('sandboxed', 1)], client)
    expect((await agent.create({}, client)).data.adcp_error.code).toBe('GOVERNANCE_DENIED')
    expect(agent.governance.checks).toEqual([])
  })
})
