import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], {
    webhooks: { post: { lookup: async () => ['93.184.216.34'] } },
  })
}, 120_000)
afterAll(() => agent?.stop())

const webhook = (reporting_frequency: string, more: object = {}) => ({
  ...more,
  url: 'https://reports.acme-agency.com/hook',
  authentication: { schemes: ['Bearer'], credentials: 'c'.repeat(32) },
  reporting_frequency,
})

test('reports are not promised in a rhythm that a product does not list, in a new order and in a change', async () => {
  const refused = {
    code: 'UNSUPPORTED_FEATURE',
    field: 'reporting_webhook.reporting_frequency',
    message: 'reporting_webhook.reporting_frequency: news has no hourly reports; it reports daily',
    suggestion: 'send "daily"; get_media_buy_delivery sums up any other days',
  }
  const { data, isError } = await agent.create({ reporting_webhook: webhook('hourly') })
  expect(isError).toBe(true)
  expect(data.adcp_error).toMatchObject(refused)
  const monthly = await agent.create({ reporting_webhook: webhook('monthly') })
  expect(monthly.data.adcp_error).toMatchObject({ ...refused, message: expect.stringContaining('news has no monthly reports') })
  const { data: bought } = await agent.create({ reporting_webhook: webhook('daily') })
  expect(bought.adcp_error?.field, JSON.stringify(bought)).not.toBe(refused.field)
  const { data: order } = await agent.create()
  const change = { media_buy_id: order.media_buy_id, reporting_webhook: webhook('hourly') }
  expect((await agent.run('update_media_buy', change)).data.adcp_error).toMatchObject(refused)
})

test('metrics that no product of an order reports are named, in a new order and in a change', async () => {
  const reporting_webhook = webhook('daily', { requested_metrics: ['impressions', 'spend', 'reach', 'engagement_rate'] })
  const notes = [
    'reporting_webhook.requested_metrics: no product of the order reports reach, engagement_rate, and its reports come without; they have impressions, spend, clicks.',
  ]
  const { data: bought } = await agent.create({ reporting_webhook })
  expect(bought.ext?.notes, JSON.stringify(bought)).toEqual(notes)
  const { data: order } = await agent.create({
    reporting_webhook: webhook('daily', { requested_metrics: ['impressions'] }),
  })
  expect(order.ext?.notes).toBeUndefined()
  const { data: changed } = await agent.run('update_media_buy', { media_buy_id: order.media_buy_id, reporting_webhook })
  expect(changed.ext?.notes, JSON.stringify(changed)).toEqual(notes)
})
