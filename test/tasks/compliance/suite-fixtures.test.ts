import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

let agent: ReleaseAgent
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startReleaseAgent()
}, 120_000)
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

const [, ...LATER] = LINES
const FLIGHT = { start_time: '2026-03-17T00:00:00Z', end_time: '2026-03-31T00:00:00Z' }
const VENDOR_METRIC = { vendor: { domain: 'prism.example' }, metric_id: 'gaze' }
const seed = (product_id: string, fixture: object = {}) => agent.control('seed_product', { product_id, fixture })
const buy = (line: string, pkg: object) =>
  agent.ask(line, 'create_media_buy', {
    account: SUITE_ACCOUNT,
    brand: SUITE_ACCOUNT.brand,
    ...FLIGHT,
    packages: [{ budget: 1500, pricing_option_id: 'default', ...pkg }],
  })
const delivery = async (line: string, media_buy_id: string) => {
  const { data } = await agent.ask(line, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] })
  return data.media_buy_deliveries[0]
}

it('the built-in product keeps both options when a story seeds one of them', async () => {
  await seed('test-product')
  await agent.control('seed_pricing_option', {
    product_id: 'test-product',
    pricing_option_id: 'test-pricing',
    fixture: { pricing_model: 'cpm', currency: 'USD', floor_price: 1 },
  })
  const { data } = await buy('3.0', { product_id: 'test-product' })
  expect(data, JSON.stringify(data)).toMatchObject({ media_buy_id: expect.any(String) })
})

it('creatives that a seeded package assigns are found by the media buy', async () => {
  for (const [id, status] of [
    ['assigned rejected', 'rejected'],
    ['assigned approved', 'approved'],
    ['of no package', 'rejected'],
  ])
    await agent.control('seed_creative', { creative_id: id, fixture: { status } })
  const creative_assignments = ['assigned rejected', { creative_id: 'assigned approved' }, 7]
  const packages = [{ package_id: 'assigning_package', budget: 1000, creative_assignments }]
  await agent.control('seed_media_buy', { media_buy_id: 'assigning_buy', fixture: { status: 'active', packages } })
  const found = async (filters: object) => {
    const { data } = await agent.ask('3.0', 'list_creatives', { filters: { media_buy_ids: ['assigning_buy'], ...filters } })
    return data.creatives.map((row: { creative_id: string }) => row.creative_id).sort()
  }
  expect(await found({})).toEqual(['assigned approved', 'assigned rejected'])
  expect(await found({ statuses: ['rejected'] })).toEqual(['assigned rejected'])
})

it('delivery is simulated on the day that is named, which the end of a period leaves out', async () => {
  const fixture = { status: 'active', start_time: '2026-01-01T00:00:00Z', end_time: '2026-12-31T00:00:00Z' }
  await agent.control('seed_media_buy', { media_buy_id: 'dated_buy', fixture })
  for (const [delivery_date, impressions] of [
    ['2026-02-14', 100],
    ['2026-02-15', 200],
    ['2026-02-16', 400],
  ])
    await agent.control('simulate_delivery', { media_buy_id: 'dated_buy', delivery_date, impressions })
  const period = { start_date: '2026-02-15', end_date: '2026-02-16' }
  const { data } = await agent.ask('3.0', 'get_media_buy_delivery', { media_buy_ids: ['dated_buy'], ...period })
  expect(data.media_buy_deliveries[0].totals.impressions).toBe(200)
  for (const delivery_date of ['2026-02-30', '15 February', 7]) {
    const params = { media_buy_id: 'dated_buy', delivery_date, impressions: 1 }
    const answer = await agent.ask('3.0', 'comply_test_controller', { scenario: 'simulate_delivery', params })
    expect(answer.data).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
  }
})

describe.each(LATER)('what a story seeds, under AdCP %s', (line) => {
  it('is found by metrics of vendors', async () => {
    await seed('gazed', {
      channels: ['display'],
      reporting_capabilities: { available_metrics: ['impressions'], vendor_metrics: [VENDOR_METRIC] },
    })
    const { data } = await agent.ask(line, 'get_products', {
      buying_mode: 'wholesale',
      filters: { required_vendor_metrics: [VENDOR_METRIC] },
    })
    expect(data.products).toMatchObject([{ product_id: 'gazed', reporting_capabilities: { vendor_metrics: [VENDOR_METRIC] } }])
  })

  it('has a version of its own for the account that stories take for one with an overlay', async () => {
    const overlay = { brand: { domain: 'account-overlay.example' }, operator: SUITE_ACCOUNT.operator, sandbox: true }
    const asked = { get_products: { buying_mode: 'wholesale' }, get_signals: { discovery_mode: 'wholesale' } }
    for (const [task, question] of Object.entries(asked)) {
      const ask = async (account: object, more: object = {}) =>
        (await agent.ask(line, task, { account, ...question, ...more })).data
      const open = await ask(SUITE_ACCOUNT)
      expect(open.cache_scope, task).toBe('public')
      const known = { if_wholesale_feed_version: open.wholesale_feed_version }
      expect(await ask(SUITE_ACCOUNT, known)).toMatchObject({ cache_scope: 'public', unchanged: true })
      const own = await ask(overlay, known)
      expect(own, task).toMatchObject({ cache_scope: 'account' })
      expect(own.unchanged).toBeUndefined()
      expect((own.products ?? own.signals).length).toBeGreaterThan(0)
    }
  })

  it('says in its row that creatives need provenance', async () => {
    await seed('proven', { channels: ['display'], creative_policy: { provenance_required: true } })
    const { data } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale', pagination: { max_results: 100 } })
    const rows = data.products.filter((product: { product_id: string }) => ['proven', 'ros_display'].includes(product.product_id))
    const required = rows.map(
      (row: { creative_policy?: { provenance_required: boolean } }) => row.creative_policy?.provenance_required,
    )
    expect(required.toSorted()).toEqual([true, undefined])
  })

  it('takes goals for clicks, and for completed views of video at a length that it has', async () => {
    await seed('clicked', { channels: ['display'] })
    await seed('viewed', { channels: ['video'], format_ids: ['video_30s'] })
    const goal = (metric: string, more: object = {}) => ({
      optimization_goals: [{ kind: 'metric', metric, target: { kind: 'cost_per', value: 2 }, priority: 1, ...more }],
    })
    expect((await buy(line, { product_id: 'clicked', ...goal('clicks') })).data.media_buy_id).toEqual(expect.any(String))
    const views = await buy(line, { product_id: 'viewed', ...goal('completed_views', { view_duration_seconds: 6 }) })
    expect(views.data.media_buy_id, JSON.stringify(views.data)).toEqual(expect.any(String))
    const phantom = await buy(line, { product_id: 'viewed', ...goal('completed_views', { view_duration_seconds: 999 }) })
    expect(phantom.data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages[0].optimization_goals[0].view_duration_seconds',
    })
  })

  it('reports reach and frequency under a cap, and how far the count is', async () => {
    await seed('capped', { channels: ['display'] })
    const frequency_cap = { max_impressions: 3, per: 'individuals', window: { interval: 1, unit: 'days' } }
    const { data } = await buy(line, { product_id: 'capped', targeting_overlay: { frequency_cap } })
    const simulate = (more: object) =>
      agent.control('simulate_delivery', { media_buy_id: data.media_buy_id, impressions: 1000, ...more })
    await simulate({ measurement_window: 'post_givt' })
    const first = await delivery(line, data.media_buy_id)
    expect(first.totals).toMatchObject({ impressions: 1000, reach: 334, frequency: 2.99, reach_unit: 'individuals' })
    expect(first).toMatchObject({ is_final: false, by_package: [{ is_final: false, measurement_window: 'post_givt' }] })
    const finalized_at = '2026-04-03T12:00:00Z'
    await simulate({ is_final: true, finalized_at, measurement_window: 'post_sivt' })
    expect(await delivery(line, data.media_buy_id)).toMatchObject({
      is_final: true,
      finalized_at,
      by_package: [{ is_final: true, finalized_at, measurement_window: 'post_sivt' }],
    })
    const { data: unfinished } = await agent.ask('3.0', 'comply_test_controller', {
      scenario: 'simulate_delivery',
      params: { media_buy_id: data.media_buy_id, is_final: true },
    })
    expect(unfinished).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
  })

  it('reports what a click cost, and views that were completed', async () => {
    await seed('watched', { channels: ['video'], format_ids: ['video_30s'] })
    const { data } = await buy(line, { product_id: 'watched' })
    const spend = { amount: 500, currency: 'USD' }
    const figures = { impressions: 2000, clicks: 250, completed_views: 1500, reported_spend: spend }
    await agent.control('simulate_delivery', { media_buy_id: data.media_buy_id, ...figures })
    const { totals } = await delivery(line, data.media_buy_id)
    expect(totals).toMatchObject({ cost_per_click: 2, completed_views: 1500, completion_rate: 0.75 })
  })

  it('lists the searches that are tasks, of the account that is named alone', async () => {
    const task_id = `listed-${line}`
    await agent.control('force_get_products_arm', { arm: 'submitted', task_id })
    await agent.ask(line, 'get_products', { buying_mode: 'brief', brief: 'coffee', account: SUITE_ACCOUNT })
    const list = async (account: object) => {
      const filters = { task_ids: [task_id], task_type: 'get_products' }
      const answer = await agent.ask(line, 'list_tasks', { account, filters })
      return answer.data.tasks?.map((task: { task_id: string }) => task.task_id)
    }
    expect(await list(SUITE_ACCOUNT)).toEqual([task_id])
    expect(await list({ ...SUITE_ACCOUNT, operator: 'another.example' })).toEqual([])
  })

  it('lists the one account that is named by its id', async () => {
    const entry = { brand: { domain: `listed${line}.example` }, operator: 'agency.example', billing: 'operator', sandbox: true }
    const { data } = await agent.ask(line, 'sync_accounts', { accounts: [entry, { ...entry, operator: 'other.example' }] })
    const { account_id } = data.accounts[1]
    const listed = await agent.ask(line, 'list_accounts', { account: { account_id } })
    // 3.2 wants the time zone on every account.
    const zone = line === '3.1' ? undefined : 'UTC'
    expect([data.accounts[1].timezone, listed.data.accounts[0].timezone]).toEqual([zone, zone])
    expect(listed.data.accounts.map((account: { account_id: string }) => account.account_id)).toEqual([account_id])
  })

  it('reaches subscribers on this machine that answer no challenge', async () => {
    const url = `${receiver.origin}/mute/${line}`
    const config = { subscriber_id: 'mute', url, event_types: ['creative.status_changed'], active: true }
    const entry = { brand: { domain: `mute${line}.example` }, operator: 'agency.example', billing: 'operator', sandbox: true }
    const { data } = await agent.ask(line, 'sync_accounts', { accounts: [{ ...entry, notification_configs: [config] }] })
    expect(data.accounts[0]).toMatchObject({ action: 'created', notification_configs: [{ active: true }] })
    expect(receiver.received.filter(({ path }) => path === `/mute/${line}`)).toEqual([])
  })

  it('tells a subscriber of one account of creatives of all, since they count as one', async () => {
    const url = `${receiver.origin}/told/${line}`
    const config = { subscriber_id: 'told', url, event_types: ['creative.status_changed'], active: true }
    const entry = { brand: { domain: `told${line}.example` }, operator: 'agency.example', billing: 'operator', sandbox: true }
    await agent.ask(line, 'sync_accounts', { accounts: [{ ...entry, notification_configs: [config] }] })
    const creative_id = `told-${line.replace('.', '-')}`
    const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 }
    const format_id = { agent_url: agent.url, id: 'display_300x250' }
    const creatives = [{ creative_id, name: 'Told', format_id, assets: { image } }]
    const { data } = await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives })
    expect(data.creatives[0].action, JSON.stringify(data)).toBe('created')
    await agent.control('force_creative_status', { creative_id, status: 'suspended' })
    const [told] = await receiver.expect(`/told/${line}`, 1)
    expect(told?.body).toMatchObject({ subscriber_id: 'told', creative_id, transition: { from: 'approved', to: 'suspended' } })
  })

  it('a search that was submitted reads as that, for clients that show text', async () => {
    const task_id = `read-${line}`
    await agent.control('force_get_products_arm', { arm: 'submitted', task_id })
    const request = { adcp_version: line, buying_mode: 'brief', brief: 'coffee', idempotency_key: `submitted-text-${line}-0001` }
    const params = { name: 'get_products', arguments: request }
    const search = async () => {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const response = await agent.buyer.send(call, { 'MCP-Protocol-Version': '2025-06-18' })
      expect(response.status).toBe(200)
      return JSON.parse(await response.text())
    }
    // The second is the answer that is kept with the key.
    for (const { result } of [await search(), await search()]) {
      expect(result.structuredContent).toMatchObject({ status: 'submitted', task_id })
      expect(result.content[0].text).toContain(`Submitted as task ${task_id}`)
    }
  })
})

it.each(['3.0', '3.1'])(
  'check_governance under AdCP %s takes the agent that is meant, and the approval of a person',
  async (line) => {
    await agent.ask(line, 'sync_plans', {
      plans: [
        {
          plan_id: `approved-${line}`,
          brand: SUITE_ACCOUNT.brand,
          objectives: 'Sell tents',
          budget: { total: 50_000, currency: 'USD', reallocation_threshold: 10 },
          flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
        },
      ],
    })
    const check = async (more: object = {}) => {
      const { data } = await agent.ask(line, 'check_governance', {
        plan_id: `approved-${line}`,
        caller: 'https://agency.example',
        tool: 'create_media_buy',
        target_agent: 'https://seller.example/',
        payload: { account: SUITE_ACCOUNT, total_budget: 40_000, packages: [{ product_id: 'ros_display', budget: 40_000 }] },
        ...more,
      })
      return data
    }
    expect(await check()).toMatchObject({ [line === '3.0' ? 'status' : 'verdict']: 'denied' })
    const approved = await check({ human_approval: { approved_by: 'Dana' } })
    expect(approved.findings[0].explanation, JSON.stringify(approved)).toContain('approved by Dana')
  },
)
