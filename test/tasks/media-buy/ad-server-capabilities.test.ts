import { afterAll, beforeAll, expect, test } from 'vitest'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'

const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', fixed_price: 10 }
const cpcv = { pricing_option_id: 'cpcv', pricing_model: 'cpcv' as const, currency: 'USD', fixed_price: 0.05 }
const SELLING = { targeting: { geo: ['country', 'region'], keywords: true, frequency_cap: true } }

let agent: MediaBuyAgent
beforeAll(async () => {
  const { capabilities } = createMemoryAdServer().backend
  // It knows neither completed views nor regions, keywords and caps.
  const narrow = createMemoryAdServer({ capabilities: { ...capabilities, pricing: ['cpm'], targeting: ['geo_countries'] } })
  const products = [
    productDocument('both', { pricing_options: [cpm, cpcv] }, SELLING),
    productDocument('views', { pricing_options: [cpcv] }, SELLING),
    productDocument('reviewed', { pricing_options: [cpm] }, { ...SELLING, approval: 'manual' }),
  ]
  agent = await startMediaBuyAgent(products, {
    backend: { backend: narrow.backend, drift: 'leave' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
})
afterAll(() => agent?.stop())

test('products offer the prices that their ad server can bill, and are not offered without one', async () => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  const offered = data.products.map((product: { product_id: string; pricing_options: { pricing_option_id: string }[] }) => [
    product.product_id,
    product.pricing_options.map(({ pricing_option_id }) => pricing_option_id),
  ])
  expect(offered).toEqual([
    ['both', ['cpm']],
    ['reviewed', ['cpm']],
  ])
})

test('the capabilities declare what the ad server keeps of what products offer', async () => {
  const { data } = await agent.buyer.call('get_adcp_capabilities', {})
  expect(data.media_buy.supported_pricing_models).toEqual(['cpm'])
  expect(data.media_buy.execution).toEqual({ targeting: { geo_countries: true } })
  const later = await agent.buyer.call('get_adcp_capabilities', { adcp_version: '3.1' })
  expect(later.data.media_buy).not.toHaveProperty('frequency_capping')
})

test.each([
  ['frequency_cap', { frequency_cap: { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } } }],
  ['daypart_targets', { daypart_targets: [{ days: ['monday'], start_hour: 8, end_hour: 10 }] }],
  ['geo_regions', { geo_regions: ['DE-BE'] }],
])('an order with %s is refused by that name', async (name, targeting_overlay) => {
  const packages = [{ product_id: 'both', pricing_option_id: 'cpm', budget: 1000, targeting_overlay }]
  const { data } = await agent.create({ packages })
  expect(data.adcp_error, JSON.stringify(data)).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    field: expect.stringContaining(`targeting_overlay.${name}`),
    message: expect.stringMatching(/its packages can be targeted by: geo_countries$/),
  })
})

test('an order that a person has to approve is refused before it waits, and so is a change of one', async () => {
  const packages = [{ product_id: 'reviewed', pricing_option_id: 'cpm', budget: 1000 }]
  const targeting_overlay = { geo_regions: ['DE-BE'] }
  const refusal = { code: 'UNSUPPORTED_FEATURE', field: expect.stringContaining('targeting_overlay.geo_regions') }
  const { data: refused } = await agent.create({ packages: packages.map((each) => ({ ...each, targeting_overlay })) })
  expect(refused.adcp_error, JSON.stringify(refused)).toMatchObject(refusal)

  const { data: submitted } = await agent.create({ packages })
  expect(submitted, JSON.stringify(submitted)).toMatchObject({ status: 'submitted' })
  const services = { ...agent.server.services, store: agent.server.store }
  await approve(services, agent.tenant, submitted.task_id, [], new Date('2026-03-01T12:30:00Z'))
  const { data: listed } = await agent.buyer.call('get_media_buys', { status_filter: ['pending_creatives'] })
  const [buy] = listed.media_buys
  const change = { package_id: buy.packages[0].package_id, budget: 5000 }
  const update = (pkg: object) => agent.run('update_media_buy', { media_buy_id: buy.media_buy_id, packages: [pkg] })
  expect((await update(change)).data).toMatchObject({ status: 'submitted' })
  const { data } = await update({ ...change, targeting_overlay })
  expect(data.adcp_error, JSON.stringify(data)).toMatchObject(refusal)
})
