import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfigError } from '../../../src/config/config-error.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import type { AgentClient } from '../../support/client.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const UNDECLARED = [
  { brand: { domain: 'invented.example' }, operator: 'invented.example' },
  { brand: { domain: 'invented.example' }, operator: 'invented.example', sandbox: true },
  { account_id: 'acc_invented' },
]
const START = '2031-01-01T00:00:00Z'
const END = '2031-02-01T00:00:00Z'

const order = (account: object, productId = 'outdoor_lifestyle_display', optionId = 'cpm_usd_fixed') => ({
  idempotency_key: randomUUID(),
  account,
  brand: { domain: 'invented.example' },
  start_time: START,
  end_time: END,
  packages: [{ product_id: productId, pricing_option_id: optionId, budget: 5000 }],
})

/** A request of each task that commits or keeps something for an account. */
const REQUESTS: Readonly<Record<string, (account: object) => object>> = {
  create_media_buy: (account) => order(account),
  list_creatives: (account) => ({ account }),
  sync_audiences: (account) => ({ idempotency_key: randomUUID(), account }),
  sync_catalogs: (account) => ({ idempotency_key: randomUUID(), account }),
  sync_event_sources: (account) => ({ idempotency_key: randomUUID(), account }),
  get_account_financials: (account) => ({ account }),
  create_property_list: (account) => ({ idempotency_key: randomUUID(), account, name: 'Invented' }),
  activate_signal: (account) => ({
    idempotency_key: randomUUID(),
    account,
    signal_agent_segment_id: 'harborline_outdoor_readers',
    destinations: [{ type: 'platform', platform: 'the-trade-desk' }],
  }),
  get_media_buys: (account) => ({ account }),
  get_products: (account) => ({ account, buying_mode: 'wholesale' }),
}

async function expectAccountsToBeDeclared(client: AgentClient): Promise<void> {
  for (const account of UNDECLARED) {
    for (const [task, request] of Object.entries(REQUESTS)) {
      const { data } = await client.call(task, request(account))
      expect(data.adcp_error?.code, `${task} ${JSON.stringify(account)} ${JSON.stringify(data).slice(0, 300)}`).toBe(
        'ACCOUNT_NOT_FOUND',
      )
    }
    const governed = await client.call('sync_governance', {
      idempotency_key: randomUUID(),
      accounts: [
        {
          account,
          governance_agents: [
            {
              url: 'https://governance.invented.example/mcp',
              authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(32) },
            },
          ],
        },
      ],
    })
    expect(governed.data.accounts[0]).toMatchObject({ status: 'failed', errors: [{ code: 'ACCOUNT_NOT_FOUND' }] })
  }
}

const idsOf = (data: { products: readonly { product_id: string }[] }) => data.products.map(({ product_id }) => product_id)

async function allProducts(client: AgentClient): Promise<string[]> {
  const page = (cursor?: string) =>
    client.call('get_products', { buying_mode: 'wholesale', pagination: { max_results: 100, ...(cursor && { cursor }) } })
  const { data } = await page()
  return data.pagination.has_more ? [...idsOf(data), ...idsOf((await page(data.pagination.cursor)).data)] : idsOf(data)
}

/** What of the suite's data a caller finds. */
async function suiteDataOf(client: AgentClient) {
  const code = (reply: { isError: boolean; data: { adcp_error?: { code: string } } }) => reply.data.adcp_error?.code ?? 'found'
  return {
    product: (await allProducts(client)).includes('test-product'),
    brand: code(await client.call('get_brand_identity', { brand_id: 'test.example' })),
    right: JSON.stringify(
      (await client.call('get_rights', { query: 'images of the test brand', uses: ['likeness'] })).data,
    ).includes('test_brand_images'),
    offering: JSON.stringify((await client.call('si_get_offering', { offering_id: 'e2e-test-offering' })).data).includes(
      'Ask about',
    ),
  }
}

const NOTHING = { product: false, brand: 'BRAND_NOT_FOUND', right: false, offering: false }

describe('the demo without --conformance', () => {
  let agent: TestAgent
  let production: AgentClient
  beforeAll(async () => {
    agent = await startAgent({ demo: true, sandbox: true })
    production = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'production' }))
  })
  afterAll(() => agent.stop())

  it('the requests of this test are of tasks that take an account', () => {
    for (const task of Object.keys(REQUESTS)) expect(TASKS.find(({ name }) => name === task)?.account).not.toBe('none')
  })
  it('its sandbox buyer uses declared accounts alone', () => expectAccountsToBeDeclared(agent.buyer))
  it('a production buyer uses declared accounts alone', () => expectAccountsToBeDeclared(production))

  it('its buyer has one account to try things with, and buys on it and on what it declares', async () => {
    const { data } = await agent.buyer.call('list_accounts')
    expect(data.accounts).toMatchObject([{ brand: { domain: 'demo-brand.example' }, sandbox: true }])
    const bought = await agent.buyer.call('create_media_buy', order({ account_id: data.accounts[0].account_id }))
    expect(bought.data.status).toBe('pending_creatives')
  })

  it('nothing of the suite is for sale or told of', async () => {
    expect(await suiteDataOf(agent.buyer)).toEqual(NOTHING)
    expect(await suiteDataOf(production)).toEqual(NOTHING)
    const [{ account_id }] = (await agent.buyer.call('list_accounts')).data.accounts
    const { data } = await agent.buyer.call('create_media_buy', order({ account_id }, 'test-product', 'default'))
    expect(data.adcp_error.code).toBe('PRODUCT_NOT_FOUND')
  })
})

describe('the demo with --conformance', () => {
  let agent: TestAgent
  let production: AgentClient
  beforeAll(async () => {
    agent = await startAgent({ demo: true, conformance: true })
    production = agent.client(await agent.addBuyer({ tenant: agent.tenant, principal: 'production' }))
  })
  afterAll(() => agent.stop())

  it('its sandbox buyer has what the suite presupposes, and the controller', async () => {
    expect(await suiteDataOf(agent.buyer)).toEqual({ product: true, brand: 'found', right: true, offering: true })
    for (const account of UNDECLARED.slice(0, 2)) {
      expect((await agent.buyer.call('create_media_buy', order(account, 'test-product', 'default'))).data.status).toBe(
        'pending_creatives',
      )
    }
    const { data } = await agent.buyer.call('comply_test_controller', { scenario: 'list_scenarios' })
    expect(data.success).toBe(true)
  })

  it('a production buyer is held to declared accounts all the same, and sees no test product', async () => {
    await expectAccountsToBeDeclared(production)
    expect((await suiteDataOf(production)).product).toBe(false)
  })

  it('is refused in production mode, naming where it was asked for', () => {
    const refusal = (environment: Record<string, string>, flags: Record<string, unknown> = {}) => {
      try {
        loadConfig(new Schemas(), { environment, flags: { mode: 'production', ...flags } })
      } catch (error) {
        return (error as ConfigError).message
      }
    }
    expect(refusal({}, { conformance: true })).toMatch(/^--conformance: conformance .*production mode/)
    expect(refusal({ SALES_AGENT_CONFORMANCE: 'true' })).toMatch(/^SALES_AGENT_CONFORMANCE: conformance/)
  })
})
