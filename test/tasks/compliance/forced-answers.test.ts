import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

let agent: ReleaseAgent
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startReleaseAgent()
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

const LATER = LINES.filter((line) => line !== '3.0')
const status = async (line: string, task_id: string) =>
  (await agent.ask(line, 'get_task_status', { task_id, include_result: true })).data

describe.each(LATER)('searches that the controller defers, under AdCP %s', (line) => {
  const search = (more: object = {}) => agent.ask(line, 'get_products', { buying_mode: 'brief', brief: 'coffee', ...more })

  it('defers one search, keeps its answer for a repetition, and completes it with the given products', async () => {
    const taskId = `products ${line}`
    expect(
      await agent.control('force_get_products_arm', { arm: 'submitted', task_id: taskId, message: 'In an hour.' }),
    ).toMatchObject({
      forced: { arm: 'submitted', task_id: taskId },
    })
    const under30 = await agent.ask('3.0', 'get_products', { buying_mode: 'brief', brief: 'coffee' })
    expect(under30.data.products.length).toBeGreaterThan(0)
    const whole = await agent.ask(line, 'get_products', { buying_mode: 'wholesale' })
    expect(whole.data.products.length).toBeGreaterThan(0)
    const signals = await agent.ask(line, 'get_signals', { signal_spec: 'coffee' })
    expect(signals.data.task_id).toBeUndefined()

    const key = { idempotency_key: `deferred-search-${line.replace('.', '-')}` }
    const first = await search(key)
    expect(first.data).toMatchObject({ status: 'submitted', task_id: taskId, message: 'In an hour.' })
    expect(first.data.products).toBeUndefined()
    expect((await search(key)).data).toMatchObject({ task_id: taskId, replayed: true })
    const next = await search()
    expect(next.data.products.length).toBeGreaterThan(0)
    const waits = await status(line, taskId)
    expect(waits).toMatchObject({ status: 'submitted', task_type: 'get_products' })

    const { tasks } = (await agent.ask(line, 'list_tasks')).data
    expect(tasks.map((task: { task_id: string }) => task.task_id)).toContain(taskId)
    const { data: listed } = await agent.ask('3.0', 'list_tasks', { pagination: { max_results: 100 } })
    expect(listed.tasks.map((task: { task_id: string }) => task.task_id)).not.toContain(taskId)
    expect((await status('3.0', taskId)).adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    const { products } = next.data
    const completed = await agent.ask(line, 'comply_test_controller', {
      scenario: 'force_task_completion',
      account: { sandbox: true },
      params: { task_id: taskId, result: { ...next.data, products: products.slice(0, 1) } },
    })
    expect(completed.data).toMatchObject({ success: true, previous_state: 'submitted', current_state: 'completed' })
    const done = await status(line, taskId)
    expect(done).toMatchObject({ status: 'completed', result: { products: [{ product_id: products[0].product_id }] } })
  })

  it('tells the end of a deferred search to its webhook, and of no other', async () => {
    const taskId = `told ${line}`
    const push_notification_config = { url: `${receiver.origin}/search-${line}`, operation_id: `search-${line}` }
    await agent.control('force_get_products_arm', { arm: 'submitted', task_id: taskId })
    expect((await search({ push_notification_config })).data).toMatchObject({ status: 'submitted', task_id: taskId })
    const found = (await search({ push_notification_config })).data
    const { products, cache_scope } = found
    const result = { status: 'completed', cache_scope, products: products.slice(0, 1), context: { correlation_id: 'the end' } }
    const params = { task_id: taskId, result }
    await agent.ask(line, 'comply_test_controller', { scenario: 'force_task_completion', account: { sandbox: true }, params })
    const webhooks = await receiver.expect(`/search-${line}`, 1)
    const [told, ...others] = webhooks.filter(({ body }) => body.status === 'completed')
    expect(others).toEqual([])
    expect(told?.body).toMatchObject({ task_id: taskId, task_type: 'get_products', protocol: 'media-buy' })
    expect(told?.body).toMatchObject({
      operation_id: `search-${line}`,
      result: { products: [{ product_id: products[0].product_id }], context: { correlation_id: 'the end' } },
    })
  })

  it('defers a search for signals', async () => {
    const taskId = `signals ${line}`
    await agent.control('force_get_signals_arm', { arm: 'submitted', task_id: taskId })
    const { data } = await agent.ask(line, 'get_signals', { signal_spec: 'coffee' })
    expect(data).toMatchObject({ status: 'submitted', task_id: taskId })
    const again = await agent.ask(line, 'get_signals', { signal_spec: 'coffee' })
    expect(again.data.signals).toBeInstanceOf(Array)
  })
})

describe.skipIf(!LINES.includes('3.2'))('a search that the controller declines', () => {
  const search = (line: string, more: object = {}) =>
    agent.ask(line, 'get_products', { buying_mode: 'brief', brief: 'coffee', ...more })
  const reason = 'The budget is below the minimum.'
  const suggestions = ['Ask for more impressions.']

  const control = (params: object, scenario = 'force_get_products_arm', line = '3.2') =>
    agent.ask(line, 'comply_test_controller', { scenario, params, account: { sandbox: true } })

  it('is declined once, with its reason, and only in a release that has a form for that', async () => {
    const params = { arm: 'rejected', reason, suggestions }
    const { forced } = (await control(params)).data
    expect(forced).toEqual({ arm: 'rejected', reason, suggestions })
    for (const line of ['3.0', '3.1']) expect((await search(line)).data.products.length).toBeGreaterThan(0)
    expect((await agent.ask('3.2', 'get_products', { buying_mode: 'wholesale' })).data.products.length).toBeGreaterThan(0)
    const key = { idempotency_key: 'a-search-that-is-declined' }
    const question = { ...key, context: { correlation_id: 'declined' }, ext: { answer_text: 'summary' } }
    const { data, isError, raw } = await search('3.2', question)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    expect(data).toMatchObject({ status: 'rejected', reason, suggestions, context: { correlation_id: 'declined' } })
    for (const member of ['products', 'proposals', 'errors', 'adcp_error', 'cache_scope']) expect(data).not.toHaveProperty(member)
    expect(raw.result.content[0].text).toBe(`The seller declines this search: ${reason}\n- ${suggestions[0]}`)
    expect((await search('3.2', question)).data).toMatchObject({
      ...{ status: 'rejected', reason, replayed: true },
    })
    expect((await search('3.2')).data.products.length).toBeGreaterThan(0)
  })

  it('has no task, and a deferred one no reason', async () => {
    for (const params of [
      { arm: 'rejected' },
      { arm: 'rejected', reason, task_id: 'one' },
      { arm: 'rejected', reason, suggestions: [] },
      { arm: 'rejected', reason, suggestions: [''] },
      { arm: 'submitted', task_id: 'one', reason },
    ])
      expect((await control(params)).data).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
    for (const [scenario, line] of [
      ['force_get_signals_arm', '3.2'],
      ['force_get_products_arm', '3.0'],
    ] as const) {
      const { data } = await control({ arm: 'rejected', reason }, scenario, line)
      expect(data).toMatchObject({ success: false, error: 'INVALID_PARAMS' })
    }
  })
})

it('another agent of the publisher gets its answer at once, and knows no such task', async () => {
  const other = agent.client(await agent.addBuyer({ principal: 'other suite', sandbox: true }))
  await agent.control('force_get_products_arm', { arm: 'submitted', task_id: 'not theirs' })
  const search = { buying_mode: 'brief', brief: 'coffee' }
  expect((await other.call('get_products', search)).data.products.length).toBeGreaterThan(0)
  expect((await agent.ask('3.1', 'get_products', search)).data.task_id).toBe('not theirs')
  const unknown = await other.call('get_task_status', { task_id: 'not theirs' })
  expect(unknown.data.adcp_error.code).toBe('REFERENCE_NOT_FOUND')
  const completion = { scenario: 'force_task_completion', params: { task_id: 'not theirs', result: { products: [] } } }
  expect((await other.call('comply_test_controller', completion)).data).toMatchObject({ success: false, error: 'NOT_FOUND' })
})

// The request schema of 3.2 wants the whole result.
describe.each(LATER.filter((line) => line === '3.1'))('a result as the protocol page writes it, under AdCP %s', (line) => {
  it('is completed by what the seller has to add', async () => {
    const account = { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true }
    const taskId = `bare order ${line}`
    const id = `mb_bare_${line.replace('.', '')}`
    const { products } = (await agent.ask(line, 'get_products', { buying_mode: 'wholesale' })).data
    await agent.control('force_create_media_buy_arm', { arm: 'submitted', task_id: taskId })
    await agent.ask(line, 'create_media_buy', {
      account,
      brand: account.brand,
      start_time: '2026-04-01T00:00:00Z',
      end_time: '2026-04-30T00:00:00Z',
      packages: [
        {
          product_id: products[0].product_id,
          pricing_option_id: products[0].pricing_options[0].pricing_option_id,
          budget: 30_000,
          bid_price: 50,
        },
      ],
    })
    const packages = [{ package_id: `${id}_0`, product_id: 'of the suite', budget: 30_000 }]
    const params = { task_id: taskId, result: { media_buy_id: id, status: 'active', packages } }
    const { data } = await agent.ask(line, 'comply_test_controller', { scenario: 'force_task_completion', account, params })
    expect(data).toMatchObject({ success: true, previous_state: 'submitted', current_state: 'completed' })
    expect(await status(line, taskId)).toMatchObject({
      status: 'completed',
      result: { media_buy_id: id, media_buy_status: 'active', packages: [{ package_id: `${id}_0` }] },
    })
  })
})

describe.each(LATER)('an order that the controller completes, under AdCP %s', (line) => {
  const account = { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true }
  const taskId = `order ${line}`
  const id = `mb_${line.replace('.', '')}`
  const result = {
    ...{ media_buy_id: id, media_buy_status: 'active', status: 'completed', revision: 1, confirmed_at: '2026-03-16T12:00:00Z' },
    packages: [{ package_id: `${id}_1`, product_id: 'of the suite', budget: 30_000 }],
  }
  const complete = async (params: object) =>
    (await agent.ask(line, 'comply_test_controller', { scenario: 'force_task_completion', account: { sandbox: true }, params }))
      .data

  it('is a media buy from then on, and its webhook carries the result', async () => {
    const { products } = (await agent.ask(line, 'get_products', { buying_mode: 'wholesale' })).data
    await agent.control('force_create_media_buy_arm', { arm: 'submitted', task_id: taskId })
    const [product] = products
    const order = await agent.ask(line, 'create_media_buy', {
      account,
      brand: account.brand,
      start_time: '2026-04-01T00:00:00Z',
      end_time: '2026-04-30T00:00:00Z',
      packages: [
        {
          product_id: product.product_id,
          pricing_option_id: product.pricing_options[0].pricing_option_id,
          budget: 30_000,
          bid_price: 50,
        },
      ],
      push_notification_config: { url: `${receiver.origin}/${line}`, operation_id: `op-${line}` },
    })
    expect(order.data).toMatchObject({ status: 'submitted', task_id: taskId })
    const ofAnotherTask = { products: [], cache_scope: 'account' }
    expect((await complete({ task_id: taskId, result: ofAnotherTask })).success).not.toBe(true)
    expect(await complete({ task_id: taskId, result })).toMatchObject({ success: true, current_state: 'completed' })
    expect(await complete({ task_id: taskId, result })).toMatchObject({ success: false, error: 'INVALID_TRANSITION' })

    expect(await status(line, taskId)).toMatchObject({
      status: 'completed',
      result: { media_buy_id: id, packages: result.packages },
    })
    const { media_buys } = (await agent.ask(line, 'get_media_buys', { media_buy_ids: [id] })).data
    expect(media_buys).toMatchObject([{ media_buy_id: id, packages: [{ package_id: `${id}_1` }] }])
    const simulated = await agent.control('simulate_delivery', { media_buy_id: id, impressions: 10 })
    expect(simulated.cumulative.impressions).toBe(10)
    const webhooks = await receiver.expect(`/${line}`, 2)
    const sent = webhooks.find(({ body }) => body.status === 'completed')
    expect(sent?.body).toMatchObject({
      task_id: taskId,
      status: 'completed',
      result: { media_buy_id: id, packages: result.packages },
    })
  })
})
