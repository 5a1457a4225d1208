import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examineBackends } from '../../../src/features/doctor/backends.ts'
import { listProductionTenants } from '../../../src/store/identity/tenants.ts'
import type { AgentClient } from '../../support/client.ts'
import { DEMO_ACCOUNT, startAgent, type TestAgent } from '../../support/start-agent.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
let agent: TestAgent
let production: AgentClient

beforeAll(async () => {
  agent = await startAgent({ demo: true })
  expect(await listProductionTenants(agent.server.store.read)).toEqual([])
  production = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'production' }))
  await production.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
})
afterAll(() => agent.stop())

const upload = (client: AgentClient, account: object) =>
  client.call('sync_audiences', {
    idempotency_key: randomUUID(),
    account,
    audiences: [{ audience_id: 'crm', add: [{ external_id: 'one', hashed_email: 'a'.repeat(64) }] }],
  })

const activate = (client: AgentClient, account: object) =>
  client.call('activate_signal', {
    idempotency_key: randomUUID(),
    account,
    signal_agent_segment_id: 'prism_cart_abandoner',
    pricing_option_id: 'po_prism_abandoner_cpm',
    destinations: [{ type: 'agent', agent_url: 'https://sales.example/mcp' }],
  })

describe('results that are made up', () => {
  it('say so to a production buyer, in words', async () => {
    const { data: audiences } = await upload(production, ACCOUNT)
    expect(audiences).toMatchObject({ sandbox: true, ext: { simulated: expect.stringContaining('Matches are simulated') } })
    const { data: activated } = await activate(production, ACCOUNT)
    expect(activated.deployments, JSON.stringify(activated)).toMatchObject([{ is_live: true }])
    expect(activated).toMatchObject({ sandbox: true, ext: { simulated: expect.stringContaining('nothing is sent') } })
    const { data: found } = await production.call('get_signals', {
      account: ACCOUNT,
      signal_spec: 'cart abandoners',
      destinations: [{ type: 'agent', agent_url: 'https://sales.example/mcp' }],
    })
    expect(found).toMatchObject({ sandbox: true, ext: { simulated: expect.any(String) } })
  })

  it('say so of an order, of its delivery, and of rights, which are on the books', async () => {
    const run = async (task: string, args: object) => {
      const { data, isError } = await production.call(task, { idempotency_key: randomUUID(), ...args })
      expect(isError, `${task}: ${JSON.stringify(data)}`).toBe(false)
      return data
    }
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const served = { ext: { simulated: expect.stringContaining('nothing is served') } }
    const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }]
    const flight = { start_time: day(2), end_time: day(20) }
    const created = await run('create_media_buy', { account: ACCOUNT, brand: ACCOUNT.brand, ...flight, packages })
    expect(created).toMatchObject(served)
    expect(created).not.toHaveProperty('sandbox')
    const { media_buy_id } = created
    expect(await run('update_media_buy', { account: ACCOUNT, media_buy_id, paused: true })).toMatchObject(served)
    expect(await run('get_media_buy_delivery', { account: ACCOUNT, media_buy_ids: [media_buy_id] })).toMatchObject(served)
    const acquired = await run('acquire_rights', {
      account: ACCOUNT,
      rights_id: 'acme_trail_fox',
      pricing_option_id: 'fox_quarter',
      buyer: ACCOUNT.brand,
      campaign: { description: 'Spring', uses: ['likeness'], start_date: day(2).slice(0, 10), end_date: day(20).slice(0, 10) },
      revocation_webhook: { url: 'https://93.184.215.14/revoked' },
    })
    expect(acquired).toMatchObject({ status: 'acquired', ext: { simulated: expect.any(String) } })
  })

  it('say to a sandbox buyer that it is in a sandbox', async () => {
    for (const { data } of [await upload(agent.buyer, DEMO_ACCOUNT), await activate(agent.buyer, DEMO_ACCOUNT)]) {
      expect(data.sandbox).toBe(true)
      expect(data.ext).toBeUndefined()
    }
  })

  it('are named in the capabilities, and by the doctor where production buyers get them', async () => {
    const { data } = await agent.client().call('get_adcp_capabilities')
    const names = data.ext.simulated_backends.map(({ name }: { name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['simulator', 'simulated identity graph', 'imported signals', 'imported brands']),
    )
    const tenants = await listProductionTenants(agent.server.store.read)
    expect(tenants).toEqual([agent.tenant])
    expect(examineBackends(data, tenants)).toMatchObject([
      { outcome: 'warning', text: expect.stringContaining('buyers of demo are') },
    ])
    expect(examineBackends(data, [])).toMatchObject([{ outcome: 'ok' }])
    expect(examineBackends(data, undefined)).toMatchObject([{ outcome: 'warning' }])
    expect(examineBackends({ ext: { simulated_backends: [{}, 7, null] } }, undefined)).toEqual([])
  })
})

describe('a backend that is real', () => {
  it('is not called simulated', async () => {
    const signals = {
      ...agent.server.services.signals,
      simulated: false,
      activate: async (orders: readonly unknown[]) =>
        orders.map(() => ({ state: 'live' as const, key: { type: 'segment_id' as const, segment_id: 'seg_1' } })),
    }
    const real = await startAgent({ demo: true, signals })
    try {
      const buyer = real.client(await real.addBuyer({ tenant: real.tenant, principal: 'production' }))
      await buyer.call('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
      const { data } = await activate(buyer, ACCOUNT)
      expect(data.deployments, JSON.stringify(data)).toMatchObject([{ is_live: true }])
      expect(data).not.toHaveProperty('sandbox')
      expect(data).not.toHaveProperty('ext')
      const { data: capabilities } = await buyer.call('get_adcp_capabilities')
      expect(JSON.stringify(capabilities.ext)).not.toContain('imported signals')
    } finally {
      await real.stop()
    }
  })
})
