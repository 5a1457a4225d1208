import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AdServer } from '../../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../../src/ad-serving/simulator/simulator.ts'
import { recordDelivery } from '../../../src/domain/media-buy/record-delivery.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { getMediaBuy, saveMediaBuy } from '../../../src/store/media-buy/media-buys.ts'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const schemas = new Schemas()
const AUTHENTICATION = { schemes: ['Bearer'], credentials: 'buyer-secret-for-its-webhooks-0123456789' }
const PACKAGES = [{ product_id: 'host-read', pricing_option_id: 'cpm', budget: 1000 }]

describe('delivery reports', () => {
  let agent: MediaBuyAgent
  let receiver: WebhookReceiver
  let sandbox: AgentClient
  let adServerIsDown: boolean

  beforeEach(async () => {
    adServerIsDown = false
    const simulator = createSimulator()
    const adServer: AdServer = {
      ...simulator,
      async reportDelivery(lines, now) {
        if (adServerIsDown) throw new Error('the ad server cannot be reached')
        return simulator.reportDelivery(lines, now)
      },
    }
    receiver = await startReceiver()
    const windows = [
      { window_id: 'live', duration_days: 0, expected_availability_days: 1 },
      { window_id: 'c3', duration_days: 3, expected_availability_days: 4 },
      { window_id: 'c7', duration_days: 7, expected_availability_days: 22, is_guarantee_basis: true },
    ]
    const host = productDocument('host-read', { format_ids: [] })
    const reporting_capabilities = {
      ...host.reporting_capabilities,
      available_reporting_frequencies: ['daily' as const, 'monthly' as const],
      measurement_windows: windows,
    }
    const spot = productDocument('spot', { format_ids: [], reporting_capabilities })
    agent = await startMediaBuyAgent([host, spot], { sandbox: true, adServer })
    sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
  })
  afterEach(async () => {
    await agent.stop()
    await receiver.close()
  })

  const reporting = (more: object = {}) => ({
    reporting_webhook: {
      url: `${receiver.origin}/reports`,
      authentication: AUTHENTICATION,
      reporting_frequency: 'daily',
      ...more,
    },
  })
  const at = async (iso: string) => {
    agent.setClock(iso)
    const { scheduler, dispatcher } = agent.server.webhooks
    for (let look = 0; look < 3; look++) {
      scheduler.wake()
      await scheduler.idle()
      dispatcher.wake()
      await dispatcher.idle()
    }
  }
  const results = () => receiver.at('/reports').map(({ body }) => body.result)

  it('come daily from the start of the flight to its end, which the last one is', async () => {
    const created = await agent.create({ ...reporting(), packages: PACKAGES }, sandbox)
    await at('2026-03-02T23:59:59Z')
    expect(results()).toEqual([])
    for (let day = 3; day <= 13; day++) await at(`2026-03-${String(day).padStart(2, '0')}T00:00:01Z`)
    const told = results()
    expect(told.map((result) => result.notification_type)).toEqual([...Array<string>(9).fill('scheduled'), 'final'])
    expect(told.map((result) => result.sequence_number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(told[0]).toMatchObject({
      reporting_period: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
      next_expected_at: '2026-03-04T00:00:00.000Z',
      currency: 'USD',
      media_buy_deliveries: [{ media_buy_id: created.data.media_buy_id, status: 'active' }],
    })
    expect(told[9]).not.toHaveProperty('next_expected_at')
    for (const result of told) {
      expect(schemas.response('get_media_buy_delivery')(result)).toEqual([])
      expect(result).not.toHaveProperty('aggregated_totals')
    }
    // Of the whole flight until then, not of the day of the report.
    expect(told[5].media_buy_deliveries[0].by_package[0].pacing_index).toBeCloseTo(1, 1)
    const spend = told.reduce((sum, result) => sum + result.media_buy_deliveries[0].totals.spend, 0)
    const whole = await sandbox.call('get_media_buy_delivery', { media_buy_ids: [created.data.media_buy_id] })
    expect(spend).toBeCloseTo(whole.data.media_buy_deliveries[0].totals.spend, 4)
    expect(spend).toBeGreaterThan(0)
    const bodies = receiver.at('/reports').map(({ body }) => body)
    expect(bodies.flatMap((body) => schemas.validator('core/mcp-webhook-payload.json')(body))).toEqual([])
    expect(receiver.at('/reports')[0]?.headers.authorization).toBe(`Bearer ${AUTHENTICATION.credentials}`)
  })

  it('come again in each measurement window of a product whose figures ripen, the last one long after the flight', async () => {
    const packages = [{ product_id: 'spot', pricing_option_id: 'cpm', budget: 1000 }]
    await agent.create({ ...reporting(), packages, end_time: '2026-03-04T00:00:00Z' }, sandbox)
    for (const day of ['2026-03-03', '2026-03-04', '2026-03-07', '2026-03-08', '2026-03-25', '2026-03-26', '2026-03-28'])
      await at(`${day}T00:00:01Z`)
    const told = results().map((result) => {
      const [pkg] = result.media_buy_deliveries[0].by_package
      const { measurement_window: window, supersedes_window: supersedes, is_final: final } = pkg
      return [result.notification_type, result.reporting_period.end.slice(0, 10), window, supersedes, final]
    })
    expect(told).toEqual([
      ['scheduled', '2026-03-03', 'live', undefined, false],
      ['final', '2026-03-04', 'live', undefined, false],
      ['window_update', '2026-03-03', 'c3', 'live', false],
      ['window_update', '2026-03-04', 'c3', 'live', false],
      ['window_update', '2026-03-03', 'c7', 'c3', true],
      ['window_update', '2026-03-04', 'c7', 'c3', true],
    ])
    for (const result of results()) expect(schemas.response('get_media_buy_delivery')(result)).toEqual([])
  })

  it('bring a window in time, also while a long period lasts', async () => {
    const packages = [{ product_id: 'spot', pricing_option_id: 'cpm', budget: 1000 }]
    const flight = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-05-20T00:00:00Z' }
    await agent.create({ ...reporting({ reporting_frequency: 'monthly' }), packages, ...flight }, sandbox)
    await at('2026-04-01T00:00:01Z')
    await at('2026-04-04T23:59:59Z')
    expect(results()).toHaveLength(1)
    await at('2026-04-05T00:00:01Z')
    expect(results().map((result) => result.notification_type)).toEqual(['scheduled', 'window_update'])
  })

  it('catch up after the server was off', async () => {
    await agent.create({ ...reporting(), packages: PACKAGES }, sandbox)
    await at('2026-03-05T06:00:00Z')
    await at('2026-03-05T06:00:01Z')
    expect(results().map((result) => result.reporting_period.end)).toEqual([
      '2026-03-03T00:00:00.000Z',
      '2026-03-04T00:00:00.000Z',
      '2026-03-05T00:00:00.000Z',
    ])
  })

  it('say that data is late, once, and bring it when it is there', async () => {
    await agent.create({ ...reporting(), packages: PACKAGES }, sandbox)
    adServerIsDown = true
    await at('2026-03-03T00:00:01Z')
    await at('2026-03-03T00:06:00Z')
    await at('2026-03-03T00:12:00Z')
    expect(results()).toMatchObject([
      { notification_type: 'delayed', partial_data: true, unavailable_count: 1, sequence_number: 1 },
    ])
    adServerIsDown = false
    await at('2026-03-03T00:18:00Z')
    expect(results()[1]).toMatchObject({ notification_type: 'scheduled', sequence_number: 2 })
    expect(results()[1].media_buy_deliveries).toHaveLength(1)
    for (const result of results()) expect(schemas.response('get_media_buy_delivery')(result)).toEqual([])
  })

  it('correct a period whose figures changed', async () => {
    const created = await agent.create({ ...reporting(), packages: PACKAGES }, sandbox)
    await at('2026-03-03T00:00:01Z')
    const owner = { tenantId: agent.tenant, principalId: 'tester' }
    const buy = await getMediaBuy(agent.server.store.read, owner, created.data.media_buy_id)
    const figures = { spendMicros: 5_000_000, impressions: 700, clicks: 0, conversions: 0 }
    const late = recordDelivery(buy, figures, new Date('2026-03-02T20:00:00Z'))
    await agent.server.store.transaction((tx) => saveMediaBuy(tx, owner, buy, { ...late, revision: buy.revision + 1 }))
    await at('2026-03-04T00:00:01Z')
    const told = results()
    expect(told.map((result) => [result.notification_type, result.reporting_period.end.slice(0, 10)])).toEqual([
      ['scheduled', '2026-03-03'],
      ['adjusted', '2026-03-03'],
      ['scheduled', '2026-03-04'],
    ])
    const impressions = told.map((result) => result.media_buy_deliveries[0].totals.impressions)
    expect(impressions[1]).toBeGreaterThan(impressions[0])
    const day = { start_date: '2026-03-02', end_date: '2026-03-02' }
    const asked = await sandbox.call('get_media_buy_delivery', { media_buy_ids: [created.data.media_buy_id], ...day })
    expect(impressions[1]).toBe(asked.data.media_buy_deliveries[0].totals.impressions)
  })

  it('hold the metrics that were asked for', async () => {
    await agent.create({ ...reporting({ requested_metrics: ['impressions'] }), packages: PACKAGES }, sandbox)
    await at('2026-03-03T00:00:01Z')
    const [delivery] = results()[0].media_buy_deliveries
    expect(Object.keys(delivery.totals).sort()).toEqual(['impressions', 'spend'])
    expect(delivery.by_package[0]).toHaveProperty('package_id')
    expect(delivery.by_package[0]).not.toHaveProperty('clicks')
    expect(schemas.response('get_media_buy_delivery')(results()[0])).toEqual([])
  })

  it('go to the newest webhook only, and come to an end with a cancellation', async () => {
    const created = await agent.create({ ...reporting({ url: `${receiver.origin}/old` }), packages: PACKAGES }, sandbox)
    const id = created.data.media_buy_id
    await agent.run('update_media_buy', { media_buy_id: id, ...reporting() }, sandbox)
    await at('2026-03-03T00:00:01Z')
    expect(receiver.at('/old')).toEqual([])
    expect(results()).toHaveLength(1)
    agent.setClock('2026-03-03T12:00:00Z')
    await agent.run('update_media_buy', { media_buy_id: id, canceled: true }, sandbox)
    await at('2026-03-04T00:00:01Z')
    expect(results()[1]).toMatchObject({
      notification_type: 'final',
      reporting_period: { end: '2026-03-03T12:00:00.000Z' },
      media_buy_deliveries: [{ status: 'canceled' }],
    })
    await at('2026-03-30T00:00:00Z')
    expect(results()).toHaveLength(2)
  })
})
