import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentClient } from '../../support/client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let sandbox: AgentClient

const PLATFORM = 'https://your-platform.example.com'

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { conformance: true })
  sandbox = agent.client(await agent.addBuyer({ principal: 'suite', sandbox: true }))
})
afterAll(() => agent.stop())

const control = async (scenario: string, params?: object, client = sandbox) =>
  (await client.call('comply_test_controller', { scenario, ...(params && { params }), context: { correlation_id: scenario } }))
    .data
const run = async (task: string, args: object) => (await agent.run(task, args, sandbox)).data
const buyTestProduct = (more: object = {}) =>
  run('create_media_buy', {
    brand: { domain: 'brand.example' },
    start_time: '2026-03-02T00:00:00Z',
    end_time: '2026-03-12T00:00:00Z',
    packages: [{ product_id: 'test-product', pricing_option_id: 'default', budget: 1000 }],
    ...more,
  })
const creative = (id: string) => ({
  creative_id: id,
  name: id,
  format_id: { agent_url: PLATFORM, id: 'display_300x250' },
  assets: { image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 } },
})

describe('comply_test_controller', () => {
  it('is there for sandbox agents of a sandbox server only', async () => {
    expect(await control('list_scenarios')).toMatchObject({
      success: true,
      scenarios: expect.arrayContaining(['seed_product', 'force_creative_status', 'simulate_delivery']),
      context: { correlation_id: 'list_scenarios' },
    })
  })

  it.each([
    ['no_such_scenario', {}, 'UNKNOWN_SCENARIO'],
    ['force_session_status', { session_id: 's', status: 'terminated' }, 'NOT_FOUND'],
    ['force_creative_status', {}, 'INVALID_PARAMS'],
    ['force_creative_status', { creative_id: 'x', status: 'invented' }, 'INVALID_PARAMS'],
    ['force_creative_status', { creative_id: 'x', status: 'approved', reason_code: 'invented' }, 'INVALID_PARAMS'],
    ['force_creative_status', { creative_id: 'x', status: 'approved' }, 'NOT_FOUND'],
    ['force_account_status', { account_id: 'x', status: 'suspended' }, 'NOT_FOUND'],
    ['force_media_buy_status', { media_buy_id: 'x', status: 'active' }, 'NOT_FOUND'],
    ['force_create_media_buy_arm', { arm: 'input-required', task_id: 't' }, 'INVALID_PARAMS'],
    ['force_create_media_buy_arm', { arm: 'completed' }, 'INVALID_PARAMS'],
    ['simulate_delivery', { media_buy_id: 'x' }, 'NOT_FOUND'],
    ['simulate_delivery', { media_buy_id: 'x', impressions: -1 }, 'INVALID_PARAMS'],
    ['simulate_budget_spend', { media_buy_id: 'x', spend_percentage: 50 }, 'NOT_FOUND'],
    ['simulate_budget_spend', { spend_percentage: 50 }, 'INVALID_PARAMS'],
    ['seed_product', {}, 'INVALID_PARAMS'],
    ['seed_product', { product_id: 'p', fixture: 'no object' }, 'INVALID_PARAMS'],
    ['seed_pricing_option', { product_id: 'nobody', pricing_option_id: 'o' }, 'NOT_FOUND'],
    ['seed_creative_format', { format_id: 'not an id' }, 'INVALID_PARAMS'],
    ['seed_account', {}, 'INVALID_PARAMS'],
    ['seed_account', { account_id: 'a', fixture: { status: 'invented' } }, 'INVALID_PARAMS'],
    ['seed_account', { account_id: 'a', fixture: { brand: { domain: 'no domain' }, operator: 'o.example' } }, 'INVALID_PARAMS'],
    ['seed_account', { account_id: 'a', fixture: { billing: 'nobody' } }, 'INVALID_PARAMS'],
    ['seed_plan', {}, 'INVALID_PARAMS'],
    ['seed_plan', { plan_id: 'p', fixture: { delegations: [] } }, 'INVALID_PARAMS'],
    ['seed_plan', { plan_id: 'p', fixture: { budget: { total: 'all' } } }, 'INVALID_PARAMS'],
    ['seed_plan', { plan_id: 'p', fixture: { custom_policies: [{ policy_id: 'x' }] } }, 'INVALID_PARAMS'],
    ['seed_media_buy', { media_buy_id: 'mb-bad', fixture: { status: 'invented' } }, 'INVALID_PARAMS'],
  ])('%s %j is answered with %s', async (scenario, params, error) => {
    expect(await control(scenario, params)).toMatchObject({ success: false, error, context: { correlation_id: scenario } })
  })

  it('seeds a plan with nothing committed under it', async () => {
    // A plan governs what the agent buys for its brand; the other tests buy for another one.
    const fixture = {
      brand: { domain: 'planned.example' },
      budget: { total: 100, currency: 'USD', reallocation_unlimited: true },
      countries: ['US'],
      approved_sellers: null,
    }
    const check = async (budget: number) =>
      (
        await sandbox.call('check_governance', {
          plan_id: 'seeded',
          caller: 'https://b.example',
          tool: 'create_media_buy',
          payload: { total_budget: budget },
        })
      ).data
    expect(await control('seed_plan', { plan_id: 'seeded', fixture })).toMatchObject({ success: true })
    const approved = await check(80)
    const report = {
      plan_id: 'seeded',
      check_id: approved.check_id,
      governance_context: approved.governance_context,
      outcome: 'completed',
      seller_response: {},
    }
    await sandbox.call('report_plan_outcome', { idempotency_key: 'seeded-plan-report-1', ...report })
    expect((await check(80)).status).toBe('denied')
    await control('seed_plan', { plan_id: 'seeded', fixture })
    expect((await check(80)).status).toBe('approved')
  })

  it('seeds products and prices that the agent alone can buy', async () => {
    const fixture = { delivery_type: 'guaranteed', channels: ['video'], format_ids: [{ id: 'video_30s' }] }
    expect(await control('seed_product', { product_id: 'sports', fixture })).toMatchObject({ success: true })
    const option = { pricing_model: 'cpm', currency: 'USD', fixed_price: 22 }
    const priced = { product_id: 'sports', pricing_option_id: 'cpm_guaranteed', fixture: option }
    expect(await control('seed_pricing_option', priced)).toMatchObject({ success: true })
    // Seeding the product again keeps its prices.
    await control('seed_product', { product_id: 'sports', fixture })
    const packages = [{ product_id: 'sports', pricing_option_id: 'cpm_guaranteed', budget: 25_000 }]
    expect(await buyTestProduct({ packages })).toMatchObject({ status: 'pending_creatives' })
    const { data } = await agent.create({ packages })
    expect(data.adcp_error.code).toBe('PRODUCT_NOT_FOUND')
  })

  it('adds a price to a product of the publisher, for the agent alone', async () => {
    const params = { product_id: 'news', pricing_option_id: 'suite', fixture: { fixed_price: 3 } }
    expect(await control('seed_pricing_option', params)).toMatchObject({ success: true })
    const packages = [{ product_id: 'news', pricing_option_id: 'suite', budget: 500 }]
    expect(await buyTestProduct({ packages })).toHaveProperty('media_buy_id')
    expect((await agent.create({ packages })).data.adcp_error).toMatchObject({ field: 'packages[0].pricing_option_id' })
  })

  it('seeded creatives and formats are all that a blank account has', async () => {
    await run('sync_creatives', { creatives: [creative('synced')] })
    for (const n of [1, 2, 3]) {
      const fixture = { status: 'approved', format_id: { id: 'display_static' } }
      expect(await control('seed_creative', { creative_id: `seeded_${n}`, fixture })).toMatchObject({ success: true })
    }
    await control('seed_creative', { creative_id: 'seeded_1', fixture: { status: 'approved', name: 'Again' } })
    const blank = { account: { account_id: 'acct_never_declared' } }
    const first = await run('list_creatives', { ...blank, pagination: { max_results: 2 } })
    expect(first).toMatchObject({ pagination: { has_more: true }, query_summary: { total_matching: 3, returned: 2 } })
    const rest = await run('list_creatives', { ...blank, pagination: { max_results: 2, cursor: first.pagination.cursor } })
    expect(rest).toMatchObject({ pagination: { has_more: false }, query_summary: { total_matching: 3, returned: 1 } })
    expect(rest.pagination).not.toHaveProperty('cursor')
    const all = await run('list_creatives', { filters: { creative_ids: ['synced', 'seeded_1'] } })
    expect(all.creatives.map((each: { name: string }) => each.name).sort()).toEqual(['Again', 'synced'])

    await control('seed_creative_format', { format_id: 'seeded_format', fixture: { name: 'Seeded', type: 'display' } })
    const formats = await run('list_creative_formats', blank)
    expect(formats.formats.map((each: { name: string }) => each.name)).toEqual(['Seeded'])
  })

  it('drives a creative through its life cycle', async () => {
    await run('sync_creatives', { creatives: [creative('driven')] })
    const force = (status: string, more: object = {}) =>
      control('force_creative_status', { creative_id: 'driven', status, ...more })
    expect(await force('approved')).toMatchObject({ success: true, previous_state: 'approved', current_state: 'approved' })
    expect(await force('archived')).toMatchObject({ success: true, current_state: 'archived' })
    expect(await force('processing')).toMatchObject({ success: false, error: 'INVALID_TRANSITION', current_state: 'archived' })
    expect(await force('approved')).toMatchObject({ success: true })
    expect(await force('rejected', { rejection_reason: 'not our taste' })).toMatchObject({ success: true })
    const { creatives } = await run('list_creatives', { filters: { creative_ids: ['driven'], statuses: ['rejected'] } })
    expect(creatives).toHaveLength(1)
  })

  it('seeds accounts that are listed, used by id and by name, and hold their status', async () => {
    const client = agent.client(await agent.addBuyer({ principal: 'account-suite', sandbox: true }))
    const named = { brand: { domain: 'seeded.example' }, operator: 'agency.example' }
    const fixture = { ...named, name: 'Seeded', billing: 'agent', status: 'payment_required' }
    const seed = (account_id: string, more: object) => control('seed_account', { account_id, fixture: more }, client)
    expect(await seed('acct_seeded', fixture)).toMatchObject({ success: true })
    expect(await seed('acct_bare', {})).toMatchObject({ success: true })
    const listed = async () => (await agent.run('list_accounts', { account: undefined }, client)).data.accounts
    expect(await listed()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ account_id: 'acct_seeded', status: 'payment_required', name: 'Seeded', billing: 'agent' }),
        expect.objectContaining({ account_id: 'acct_bare', status: 'active' }),
      ]),
    )
    for (const account of [{ account_id: 'acct_seeded' }, { ...named, sandbox: true }]) {
      const { data } = await agent.run('sync_creatives', { account, creatives: [creative('on-seeded')] }, client)
      expect(data.adcp_error.code).toBe('ACCOUNT_PAYMENT_REQUIRED')
    }
    expect(await seed('acct_seeded', { status: 'active', name: 'Again' })).toMatchObject({ success: true })
    const again = { account_id: 'acct_seeded', status: 'active', name: 'Again', billing: 'agent', ...named }
    expect(await listed()).toContainEqual(expect.objectContaining(again))
    expect(await seed('acct_seeded', { status: 'rejected' })).toMatchObject({ error: 'INVALID_TRANSITION' })
    expect(await control('seed_account', { account_id: 'acct_seeded' })).toMatchObject({
      error: 'INVALID_PARAMS',
      error_detail: expect.stringContaining('in use'),
    })
  })

  it('drives an account: a suspended one buys nothing', async () => {
    const declared = await run('sync_accounts', {
      accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }],
    })
    const { account_id } = declared.accounts[0]
    const force = (status: string) => control('force_account_status', { account_id, status })
    expect(await force('suspended')).toMatchObject({ success: true, previous_state: 'active', current_state: 'suspended' })
    expect((await buyTestProduct()).adcp_error.code).toBe('ACCOUNT_SUSPENDED')
    expect(await force('active')).toMatchObject({ success: true, current_state: 'active' })
    expect(await force('pending_approval')).toMatchObject({ error: 'INVALID_TRANSITION', current_state: 'active' })
    expect(await buyTestProduct()).toHaveProperty('media_buy_id')
  })

  it('drives a media buy by its facts', async () => {
    const { media_buy_id } = await buyTestProduct()
    const force = (status: string) => control('force_media_buy_status', { media_buy_id, status })
    const status = async () => (await run('get_media_buys', { media_buy_ids: [media_buy_id] })).media_buys[0].status
    expect(await force('active')).toMatchObject({ previous_state: 'pending_creatives', current_state: 'active' })
    expect(await status()).toBe('active')
    expect(await force('paused')).toMatchObject({ success: true })
    expect(await force('pending_start')).toMatchObject({ error: 'INVALID_TRANSITION', current_state: 'paused' })
    expect(await force('completed')).toMatchObject({ success: true, current_state: 'completed' })
    expect(await status()).toBe('completed')
    expect(await force('active')).toMatchObject({ success: false, error: 'INVALID_TRANSITION', current_state: 'completed' })
  })

  it.each(['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'])(
    'seeds a media buy that is %s',
    async (status) => {
      const media_buy_id = `seeded-${status}`
      expect(await control('seed_media_buy', { media_buy_id, fixture: { status, currency: 'USD' } })).toMatchObject({
        success: true,
      })
      expect(await control('seed_media_buy', { media_buy_id, fixture: { status } })).toMatchObject({ success: true })
      const { media_buys } = await run('get_media_buys', { media_buy_ids: [media_buy_id] })
      expect(media_buys[0]).toMatchObject({ media_buy_id, status, currency: 'USD' })
    },
  )

  it.each([
    ['completed', 'completed', '2025-02-01T00:00:00.000Z'],
    ['canceled', 'canceled', '2025-02-01T00:00:00.000Z'],
    ['rejected', 'rejected', '2025-02-01T00:00:00.000Z'],
    ['active', 'active', expect.stringMatching(/^2026-/)],
    [undefined, 'completed', '2025-02-01T00:00:00.000Z'],
  ])('seeds a media buy as %s whose dates are over', async (asked, status, end_time) => {
    const media_buy_id = `past-${asked}`
    const dates = { start_time: '2025-01-01T00:00:00.000Z', end_time: '2025-02-01T00:00:00.000Z' }
    const fixture = { ...dates, ...(asked && { status: asked }) }
    expect(await control('seed_media_buy', { media_buy_id, fixture })).toMatchObject({ success: true })
    const { media_buys } = await run('get_media_buys', { media_buy_ids: [media_buy_id] })
    expect(media_buys[0]).toMatchObject({ media_buy_id, status, start_time: dates.start_time, end_time })
  })

  it('takes the flight of a fixture as start and end, too', async () => {
    const fixture = { status: 'completed', flight: { start: '2025-01-01', end: '2025-02-01' } }
    expect(await control('seed_media_buy', { media_buy_id: 'flown', fixture })).toMatchObject({ success: true })
    const { media_buys } = await run('get_media_buys', { media_buy_ids: ['flown'] })
    expect(media_buys[0]).toMatchObject({ status: 'completed', end_time: '2025-02-01T00:00:00.000Z' })
  })

  it('the arm holds the next order only', async () => {
    const params = { arm: 'submitted', task_id: 'task_signed_io', message: 'IO signing' }
    expect(await control('force_create_media_buy_arm', params)).toMatchObject({
      success: true,
      forced: { arm: 'submitted', task_id: 'task_signed_io' },
    })
    const held = await buyTestProduct()
    expect(held).toMatchObject({ status: 'submitted', task_id: 'task_signed_io', message: 'IO signing' })
    expect(held).not.toHaveProperty('media_buy_id')
    expect(await run('get_task_status', { task_id: 'task_signed_io' })).toMatchObject({ status: 'submitted' })
    expect(await buyTestProduct()).toHaveProperty('media_buy_id')
  })

  it('simulated delivery adds up and shows in reports', async () => {
    const { media_buy_id } = await buyTestProduct()
    const figures = { impressions: 5000, clicks: 50, reported_spend: { amount: 25.5, currency: 'USD' } }
    expect(await control('simulate_delivery', { media_buy_id, ...figures })).toMatchObject({
      success: true,
      simulated: figures,
      cumulative: figures,
    })
    const twice = { impressions: 10_000, clicks: 100, reported_spend: { amount: 51 } }
    expect((await control('simulate_delivery', { media_buy_id, ...figures })).cumulative).toMatchObject(twice)
    const report = await run('get_media_buy_delivery', { media_buy_ids: [media_buy_id] })
    expect(report.media_buy_deliveries[0].totals).toMatchObject({ impressions: 10_000, clicks: 100, spend: 51 })
    const euros = { media_buy_id, impressions: 1, reported_spend: { amount: 1, currency: 'EUR' } }
    expect(await control('simulate_delivery', euros)).toMatchObject({ error: 'INVALID_PARAMS' })
  })

  it('simulated spend reaches the share that was asked for, and never goes back', async () => {
    const { media_buy_id } = await buyTestProduct()
    const spend = async (spend_percentage: number) => control('simulate_budget_spend', { media_buy_id, spend_percentage })
    expect(await spend(95)).toMatchObject({
      success: true,
      simulated: { spend_percentage: 95, computed_spend: { amount: 950, currency: 'USD' }, budget: { amount: 1000 } },
    })
    expect((await spend(100)).simulated.computed_spend.amount).toBe(1000)
    expect((await spend(10)).simulated.computed_spend.amount).toBe(1000)
    const report = await run('get_media_buy_delivery', { media_buy_ids: [media_buy_id] })
    expect(report.media_buy_deliveries[0].totals.spend).toBe(1000)
  })

  it('another agent sees nothing of it', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'other-suite', sandbox: true }))
    expect(await control('force_creative_status', { creative_id: 'driven', status: 'approved' }, other)).toMatchObject({
      error: 'NOT_FOUND',
    })
    expect(await control('seed_media_buy', { media_buy_id: 'seeded-active', fixture: {} }, other)).toMatchObject({
      error: 'INVALID_PARAMS',
      error_detail: expect.stringContaining('in use'),
    })
    const { data } = await agent.run('list_creatives', { account: { account_id: 'acct_other' } }, other)
    expect(data.creatives).toEqual([])
  })
})
