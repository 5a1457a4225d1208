import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const contracts = loadContracts()
const LATER = LINES.filter((line) => line !== '3.0')
const TOKEN_LIKE = 'a1b2c3d4e5f6a7b8c9d0e1f2'
let agent: ReleaseAgent
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer(({ body }, response) => {
    const challenge = body.type === 'webhook.challenge' ? { challenge: body.challenge } : {}
    response.writeHead(200).end(JSON.stringify(challenge))
  })
  // Subscribers of one account are told of the creatives of all under --conformance.
  agent = await startReleaseAgent({ conformance: false, sandbox: true })
  for (const line of LINES) await agent.ask(line, 'sync_accounts', { accounts: [{ ...SUITE_ACCOUNT, billing: 'operator' }] })
  await agent.control('seed_product', { product_id: 'p', fixture: { name: 'p', channels: ['display'] } })
  await agent.control('seed_pricing_option', { product_id: 'p', pricing_option_id: 'cpm', fixture: { fixed_price: 10 } })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

/** Does everything that is due, and sends what came of it. */
const settle = async () => {
  const { scheduler, dispatcher } = agent.server.webhooks
  scheduler.wake()
  await scheduler.idle()
  dispatcher.wake()
  await dispatcher.idle()
}
const banner = (creative_id: string) => ({
  creative_id,
  name: creative_id,
  format_id: { agent_url: agent.url, id: 'display_300x250' },
  assets: { image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 } },
})
const buy = async (line: string, creative_id: string, more: object = {}) => {
  const { data } = await agent.ask(line, 'create_media_buy', {
    account: SUITE_ACCOUNT,
    brand: SUITE_ACCOUNT.brand,
    start_time: 'asap',
    end_time: '2026-06-30T00:00:00Z',
    packages: [{ product_id: 'p', pricing_option_id: 'cpm', budget: 5000, creatives: [banner(creative_id)] }],
    ...more,
  })
  expect(data.errors, JSON.stringify(data)).toBeUndefined()
  return data.media_buy_id as string
}
const activityOf = async (line: string, id: string, more: object = {}, client = agent.buyer) => {
  const asked = { account: SUITE_ACCOUNT, media_buy_ids: [id], include_webhook_activity: true, ...more }
  const { data } = await client.call('get_media_buys', { adcp_version: line, ...asked })
  return data.media_buys[0]?.webhook_activity
}

describe.each(LATER)('notifications of health under AdCP %s', (line) => {
  test('come when a creative goes offline and when it is back, and every attempt is on record for the buyer', async () => {
    const creative = `offline-${line}`
    const path = `/health/${line}/${TOKEN_LIKE}`
    const push = { url: `${receiver.origin}${path}?key=hidden`, operation_id: `op-${line}` }
    const id = await buy(line, creative, { push_notification_config: push })
    await settle()
    expect(await activityOf(line, id), 'nothing about health was sent yet').toEqual([])
    const before = receiver.at(`${path}?key=hidden`).length

    await agent.control('force_creative_status', { creative_id: creative, status: 'suspended' })
    await settle()
    const [opened] = (await receiver.expect(`${path}?key=hidden`, before + 1)).slice(before)
    const [impairment] = opened?.body.result.impairments ?? []
    expect(opened?.body).toMatchObject({
      notification_id: impairment.impairment_id,
      operation_id: `op-${line}`,
      status: 'completed',
      result: {
        notification_type: 'impairment',
        media_buy_id: id,
        health: 'impaired',
        impairment: { resource_id: creative, transition: { to: 'suspended' } },
      },
    })
    const { schemas } = contracts.find(line) ?? contracts.base
    expect(schemas.validator('core/mcp-webhook-payload.json')(opened?.body)).toEqual([])

    await agent.control('force_creative_status', { creative_id: creative, status: 'approved' })
    await settle()
    const closed = (await receiver.expect(`${path}?key=hidden`, before + 2)).at(-1)
    expect(closed?.body).toMatchObject({ notification_id: impairment.impairment_id, result: { health: 'ok' } })

    const activity = await activityOf(line, id)
    expect(activity.map((record: { notification_type: string }) => record.notification_type)).toEqual([
      'impairment',
      'impairment',
    ])
    expect(activity[1]).toEqual({
      idempotency_key: opened?.body.idempotency_key,
      fired_at: expect.any(String),
      completed_at: expect.any(String),
      notification_type: 'impairment',
      attempt: 1,
      status: 'success',
      url: `${receiver.origin}/health/${line}/REDACTED`,
      http_status_code: 200,
      response_time_ms: expect.any(Number),
      payload_size_bytes: opened?.bytes.byteLength,
      error_message: null,
    })
    expect(await activityOf(line, id, { webhook_activity_limit: 1 })).toHaveLength(1)
  })

  test('are not shown without being asked for, nor of a buy without a webhook, nor under 3.0', async () => {
    const plain = await buy(line, `plain-${line}`)
    expect(await activityOf(line, plain)).toBeUndefined()
    const followed = await buy(line, `followed-${line}`, {
      push_notification_config: { url: `${receiver.origin}/followed`, operation_id: 'op' },
    })
    expect(await activityOf(line, followed)).toEqual([])
    expect(await activityOf(line, followed, { include_webhook_activity: false })).toBeUndefined()
    expect(await activityOf('3.0', followed)).toBeUndefined()
  })

  test('about creatives are on record too, each subscriber for itself, and refused ones as such', async () => {
    const account = { ...SUITE_ACCOUNT, operator: `records${line.replace('.', '')}.example` }
    const config = (subscriber_id: string) => ({
      subscriber_id,
      url: `${receiver.origin}/records/${line}/${subscriber_id}`,
      event_types: ['creative.status_changed'],
    })
    const accounts = [{ ...account, billing: 'operator', notification_configs: [config('one'), config('two')] }]
    await agent.ask(line, 'sync_accounts', { accounts })
    const creative_id = `recorded-${line}`
    await agent.ask(line, 'sync_creatives', { account, creatives: [banner(creative_id)] })
    await agent.control('force_creative_status', { creative_id, status: 'suspended' })
    await settle()
    const { data } = await agent.ask(line, 'list_creatives', {
      account,
      filters: { creative_ids: [creative_id] },
      include_webhook_activity: true,
    })
    const [{ webhook_activity: activity }] = data.creatives
    expect(activity.map((record: { subscriber_id: string }) => record.subscriber_id).toSorted()).toEqual(['one', 'two'])
    expect(activity[0]).toMatchObject({ notification_type: 'creative.status_changed', status: 'success', attempt: 1 })
  })
})

test('attempts that failed are on record before the one that succeeded', async () => {
  const creative = 'retried'
  const url = `${receiver.origin}/retried`
  receiver.answer((_webhook, response, count) => response.writeHead(count === 1 ? 503 : 200).end('{}'))
  const id = await buy('3.1', creative, { push_notification_config: { url, operation_id: 'op' } })
  await settle()
  expect(receiver.at('/retried')).toHaveLength(1)
  await agent.control('force_creative_status', { creative_id: creative, status: 'suspended' })
  await settle()
  // The pause after a failure is over on this clock, which goes on by a second with every call.
  for (let round = 0; round < 10 && receiver.at('/retried').length < 3; round++) {
    await agent.ask('3.1', 'get_adcp_capabilities')
    await settle()
  }
  const activity = await activityOf('3.1', id)
  expect(activity).toMatchObject([
    { attempt: 2, status: 'success', http_status_code: 200 },
    { attempt: 1, status: 'failed', http_status_code: 503, error_message: 'HTTP 503' },
  ])
  expect(activity[0].idempotency_key).toBe(activity[1].idempotency_key)
})

test('the capabilities say where a change of health is told', async () => {
  for (const line of LATER) {
    const { data } = await agent.ask(line, 'get_adcp_capabilities')
    expect(data.media_buy.propagation_surfaces).toEqual(['snapshot', 'webhook'])
  }
})
