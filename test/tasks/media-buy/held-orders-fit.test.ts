import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('home', { delivery_type: 'guaranteed' }, { daily_capacity: 100_000, approval: 'manual' }),
  ])
})
afterAll(() => agent.stop())

const order = (budget: number) => agent.create({ packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget }] })

it('a person is not asked about an order that cannot be delivered', async () => {
  const { data } = await order(90_000_000)
  expect(data.adcp_error).toMatchObject({ code: 'PRODUCT_UNAVAILABLE', field: 'packages[0].product_id' })
  expect((await order(100)).data).toMatchObject({ status: 'submitted' })
})
