import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent.stop())

const [, ...LATER] = LINES
const FLIGHT = { start_time: '2026-03-17T00:00:00Z', end_time: '2026-03-31T00:00:00Z' }
const OTHER = { brand: { domain: 'other.example' }, operator: 'other.example', sandbox: true }
const seed = (product_id: string, fixture: object = {}) =>
  agent.control('seed_product', { product_id, fixture: { channels: ['display'], ...fixture } })
const buy = async (line: string, pkg: object, more: object = {}) =>
  (
    await agent.ask(line, 'create_media_buy', {
      account: SUITE_ACCOUNT,
      brand: SUITE_ACCOUNT.brand,
      ...FLIGHT,
      packages: [{ budget: 1500, pricing_option_id: 'default', ...pkg }],
      ...more,
    })
  ).data

describe.each(LATER)('an audience that the publisher takes offline, under AdCP %s', (line) => {
  const audience = `regulars-${line.replace('.', '-')}`
  const force = (status: string, more: object = {}) =>
    agent.control('force_audience_status', { audience_id: audience, status, ...more })
  const read = async (mediaBuyId: string) =>
    (await agent.ask(line, 'get_media_buys', { media_buy_ids: [mediaBuyId] })).data.media_buys[0]
  const listed = async (release: string) =>
    (await agent.ask(release, 'sync_audiences', { account: SUITE_ACCOUNT })).data.audiences.find(
      ({ audience_id: id }: { audience_id: string }) => id === audience,
    )

  it('impairs the buys that target it until it is back', async () => {
    // Those of the story: the simulated identity graph knows neither of anybody else.
    const add = ['101', '102'].map((each) => ({ external_id: each, hashed_email: `a${each.padStart(63, '0')}` }))
    await agent.ask(line, 'sync_audiences', { account: SUITE_ACCOUNT, audiences: [{ audience_id: audience, name: 'A', add }] })
    await seed('reaching')
    const overlay = { targeting_overlay: { audience_include: [audience] } }
    const order = await buy(line, { product_id: 'reaching', ...overlay })
    expect(await read(order.media_buy_id)).toMatchObject({ health: 'ok' })

    expect(await force('suspended', { reason: 'consent_expired' })).toMatchObject({
      previous_state: 'ready',
      current_state: 'suspended',
    })
    expect(await read(order.media_buy_id)).toMatchObject({
      health: 'impaired',
      impairments: [
        {
          resource_type: 'audience',
          resource_id: audience,
          package_ids: [order.packages[0].package_id],
          transition: { to: 'suspended' },
          reason_code: 'consent_expired',
        },
      ],
    })
    expect((await listed(line)).status).toBe('suspended')
    expect((await listed('3.0')).status).toBe('processing')
    expect((await buy(line, { product_id: 'reaching', ...overlay })).errors[0]).toMatchObject({
      code: 'INVALID_STATE',
      field: 'packages[0].targeting_overlay.audience_include[0]',
    })

    await force('ready')
    const { health, impairments } = await read(order.media_buy_id)
    expect([health, impairments]).toEqual(['ok', undefined])
    await expect(force('processing')).rejects.toThrow('INVALID_PARAMS')
  })
})

describe.each(LATER)('under AdCP %s', (line) => {
  it('a task is not shown under another account', async () => {
    const taskId = `hidden ${line}`
    await agent.control('force_get_products_arm', { arm: 'submitted', task_id: taskId })
    await agent.ask(line, 'get_products', { buying_mode: 'brief', brief: 'x', account: SUITE_ACCOUNT })
    const status = (account: object) => agent.ask(line, 'get_task_status', { task_id: taskId, account })
    expect((await status(SUITE_ACCOUNT)).data).toMatchObject({ task_id: taskId, status: 'submitted' })
    expect((await status(OTHER)).data.errors[0]).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'task_id' })
  })

  it('a package of a product that lists no signals can be targeted by those that get_signals offers', async () => {
    await seed('signalled', { signal_targeting_allowed: true, signal_targeting_rules: { selection_mode: 'optional' } })
    const { data } = await agent.ask(line, 'get_signals', { discovery_mode: 'wholesale' })
    const groups = (signal_ref: object) => ({
      product_id: 'signalled',
      targeting_overlay: {
        signal_targeting_groups: {
          operator: 'all',
          groups: [{ operator: 'any', signals: [{ signal_ref, value_type: 'binary', value: true }] }],
        },
      },
    })
    const known = data.signals[0].signal_ref
    const order = await buy(line, groups(known))
    expect(order.media_buy_id, JSON.stringify(order)).toEqual(expect.any(String))
    const field = 'packages[0].targeting_overlay.signal_targeting_groups.groups[0].signals[0].signal_ref'
    const unknown = async (reference: object) => (await buy(line, groups(reference))).errors[0]
    expect(await unknown({ ...known, signal_id: 'nobody' })).toMatchObject({ code: 'SIGNAL_NOT_FOUND', field })
    expect(await unknown({ scope: 'product', signal_id: 'nobody' })).toMatchObject({ code: 'INVALID_REQUEST', field })
    const update = await agent.ask(line, 'update_media_buy', {
      account: SUITE_ACCOUNT,
      media_buy_id: order.media_buy_id,
      packages: [
        {
          package_id: order.packages[0].package_id,
          targeting_overlay: groups({ ...known, signal_id: 'nobody' }).targeting_overlay,
        },
      ],
    })
    expect(update.data.errors[0]).toMatchObject({ code: 'SIGNAL_NOT_FOUND', field })
  })

  it('what a product allows by approval alone is refused where the suite plays, and what it does not allow for good', async () => {
    await seed('fixed', {
      allowed_actions: [
        { action: 'increase_budget', modes: ['self_serve'] },
        { action: 'extend_flight', modes: ['requires_approval'] },
      ],
    })
    const { media_buy_id } = await buy(line, { product_id: 'fixed' })
    const change = async (more: object) =>
      (await agent.ask(line, 'update_media_buy', { account: SUITE_ACCOUNT, media_buy_id, ...more })).data.errors[0]
    expect(await change({ end_time: '2026-04-30T00:00:00Z' })).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      recovery: 'correctable',
      details: { attempted_action: 'extend_flight', reason: 'mode_mismatch' },
    })
    expect(await change({ paused: true })).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      recovery: 'terminal',
      details: { attempted_action: 'pause', reason: 'not_supported_on_product' },
    })
  })

  it('usage of a media buy is verified by its price and not billed beside its delivery', async () => {
    await seed('counted')
    await agent.control('seed_pricing_option', {
      product_id: 'counted',
      pricing_option_id: 'cpm18',
      fixture: { pricing_model: 'cpm', currency: 'USD', fixed_price: 18 },
    })
    const { media_buy_id } = await buy(line, { product_id: 'counted', pricing_option_id: 'cpm18' })
    const report = async (vendor_cost: number, more: object = {}) =>
      (
        await agent.ask(line, 'report_usage', {
          reporting_period: { start: '2026-03-17T00:00:00Z', end: '2026-03-18T00:00:00Z' },
          usage: [
            {
              account: SUITE_ACCOUNT,
              media_buy_id,
              pricing_option_id: 'cpm18',
              impressions: 100_000,
              vendor_cost,
              currency: 'USD',
              ...more,
            },
          ],
        })
      ).data
    expect((await report(2000)).errors[0]).toMatchObject({ field: 'usage[0].vendor_cost' })
    expect((await report(1800, { media_buy_id: 'mb_nobody' })).errors[0].code).toBe('MEDIA_BUY_NOT_FOUND')
    const owed = async () =>
      (
        await agent.ask(line, 'get_account_financials', {
          account: SUITE_ACCOUNT,
          period: { start: '2026-03-01', end: '2026-03-31' },
        })
      ).data.spend?.total_spend ?? 0
    const before = await owed()
    expect(await report(1800)).toMatchObject({ accepted: 1 })
    expect(await owed()).toBe(before)
  })

  it('delivery shows the metrics of vendors that were simulated', async () => {
    await seed('gazed')
    const { media_buy_id } = await buy(line, { product_id: 'gazed' })
    const value = { vendor: { domain: 'gaze.example' }, metric_id: 'attention_units', value: 4.2, measurable_impressions: 70 }
    await agent.control('simulate_delivery', { media_buy_id, impressions: 80, vendor_metric_values: [value] })
    const { data } = await agent.ask(line, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] })
    expect(data.media_buy_deliveries[0].by_package[0].vendor_metric_values).toEqual([value])
  })

  it('a product that is declared by kinds alone names no formats of 3.0', async () => {
    await seed('kinds', {
      format_options: [{ format_kind: 'image', format_option_id: 'kinds_leaderboard', params: { width: 728, height: 90 } }],
    })
    const ask = async (release: string) => {
      const { data } = await agent.ask(release, 'get_products', { buying_mode: 'wholesale', account: SUITE_ACCOUNT })
      return data.products.find(({ product_id: id }: { product_id: string }) => id === 'kinds')
    }
    expect(await ask(line)).not.toHaveProperty('format_ids')
    expect((await ask(line)).format_options[0].format_option_id).toBe('kinds_leaderboard')
    expect((await ask('3.0')).format_ids).toHaveLength(1)
  })

  it('a product of which the two declarations of formats differ is shown, and told to the publisher by its buyers', async () => {
    const option = (id: string) => ({
      format_kind: 'image',
      format_option_id: `of_${id}`,
      params: { width: 728, height: 90 },
      v1_format_ref: [{ agent_url: 'https://creative.adcontextprotocol.org/', id }],
    })
    const format_ids = [{ agent_url: 'https://creative.adcontextprotocol.org/', id: 'display_300x250_image' }]
    await seed('divergent', { channels: ['radio'], format_ids, format_options: [option('display_728x90_image')] })
    await seed('agreeing', { channels: ['radio'], format_ids, format_options: [option('display_300x250_image')] })
    const ask = async (release: string) =>
      (await agent.ask(release, 'get_products', { buying_mode: 'wholesale', filters: { channels: ['radio'] } })).data
    const { products, errors } = await ask(line)
    const index = products.findIndex(({ product_id: id }: { product_id: string }) => id === 'divergent')
    expect(products.length).toBeGreaterThan(1)
    expect(errors).toMatchObject([
      {
        code: 'FORMAT_DECLARATION_DIVERGENT',
        source: 'producer',
        field: `products[${index}]`,
        details: { product_id: 'divergent', divergence_reason: expect.stringContaining('display_728x90_image') },
      },
    ])
    expect(await ask('3.0')).not.toHaveProperty('errors')
  })

  it('a package that was sold by no product names none, and keeps its context', async () => {
    const media_buy_id = `legacy-${line}`
    const context = { buyer_ref: 'line-1' }
    await agent.control('seed_media_buy', {
      media_buy_id,
      fixture: { status: 'active', packages: [{ package_id: `${media_buy_id}-p`, budget: 5000, context }] },
    })
    const { data } = await agent.ask(line, 'get_media_buys', { media_buy_ids: [media_buy_id] })
    const [pkg] = data.media_buys[0].packages
    expect(pkg).toMatchObject({ package_id: `${media_buy_id}-p`, context })
    expect(pkg).not.toHaveProperty('product_id')
  })

  it('a segment that does not exist is named by the code for what is referred to', async () => {
    const { data } = await agent.ask(line, 'activate_signal', {
      account: SUITE_ACCOUNT,
      signal_agent_segment_id: 'nobody',
      destinations: [{ type: 'agent', agent_url: 'https://dsp.example' }],
    })
    expect(data.errors[0].code).toBe('REFERENCE_NOT_FOUND')
  })
})

it('a bid below the floor is raised to it where the suite plays', async () => {
  await seed('auctioned')
  await agent.control('seed_pricing_option', {
    product_id: 'auctioned',
    pricing_option_id: 'floor22',
    fixture: { pricing_model: 'cpm', currency: 'USD', floor_price: 22 },
  })
  const order = await buy('3.0', { product_id: 'auctioned', pricing_option_id: 'floor22', bid_price: 7.5 })
  expect(order.packages[0].bid_price).toBe(22)
})

describe('plans of earlier stories', () => {
  const plan = {
    plan_id: 'tight',
    brand: SUITE_ACCOUNT.brand,
    objectives: 'Hardly anything',
    budget: { total: 10, currency: 'USD', reallocation_threshold: 5 },
    flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
    countries: ['US'],
  }
  const register = () =>
    agent.ask('3.0', 'sync_governance', {
      accounts: [
        {
          account: SUITE_ACCOUNT,
          governance_agents: [
            { url: agent.url.replace(/^http:/, 'https:'), authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(40) } },
          ],
        },
      ],
    })

  it('let an order go on with the token of conditions that it has not met', async () => {
    const policy = { policy_id: 'weekly', enforcement: 'must', policy: 'CTV buys require weekly delivery reporting.' }
    const open = { ...plan, plan_id: 'open', budget: { total: 90_000, currency: 'USD', reallocation_unlimited: true } }
    await agent.ask('3.0', 'sync_plans', { plans: [{ ...open, custom_policies: [policy] }] })
    const { data: check } = await agent.ask('3.0', 'check_governance', {
      plan_id: 'open',
      caller: 'https://agency.example',
      tool: 'create_media_buy',
      payload: { account: OTHER, total_budget: 1500, packages: [{ product_id: 'sports_ctv', budget: 1500 }] },
    })
    expect(check.status, JSON.stringify(check)).toBe('conditions')
    await seed('conditional')
    const { governance_context } = check
    const order = await buy('3.0', { product_id: 'conditional' }, { account: OTHER, governance_context })
    expect(order.media_buy_id, JSON.stringify(order)).toEqual(expect.any(String))
  })

  it('govern an account until it is declared again', async () => {
    await seed('governed')
    const { brand, operator, sandbox } = SUITE_ACCOUNT
    const declare = () => agent.ask('3.0', 'sync_accounts', { accounts: [{ brand, operator, sandbox, billing: 'operator' }] })
    await agent.ask('3.0', 'sync_plans', { plans: [plan] })
    await declare()
    expect((await buy('3.0', { product_id: 'governed' })).media_buy_id).toEqual(expect.any(String))
    await register()
    expect((await buy('3.0', { product_id: 'governed' })).errors?.[0]?.code).toBe('GOVERNANCE_DENIED')
    await declare()
    expect((await buy('3.0', { product_id: 'governed' })).media_buy_id).toEqual(expect.any(String))
  })
})

it('a draft is bought as it is under 3.0, where the suite plays, and finalized first under every other release', async () => {
  const brief = 'Balanced reach across outdoor lifestyle video, display and CTV, 50000 USD'
  const { data } = await agent.ask('3.0', 'get_products', { buying_mode: 'brief', brief, account: SUITE_ACCOUNT })
  const [proposal] = data.proposals
  expect(proposal.proposal_status).toBe('draft')
  const order = (line: string) =>
    agent.ask(line, 'create_media_buy', {
      account: OTHER,
      brand: OTHER.brand,
      proposal_id: proposal.proposal_id,
      total_budget: { amount: 50_000, currency: 'USD' },
      ...FLIGHT,
    })
  expect((await order('3.0')).data.media_buy_id).toEqual(expect.any(String))
  for (const line of LATER) expect((await order(line)).data.errors[0].code).toBe('PROPOSAL_NOT_COMMITTED')
})
