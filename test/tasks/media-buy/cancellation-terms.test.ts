import { afterAll, beforeAll, expect, test } from 'vitest'
import { summarizeCreated } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const policy = (cancellation_fee: {
  type: 'percent_remaining' | 'full_commitment' | 'fixed_fee' | 'none'
  rate?: number
  amount?: number
}) => ({
  cancellation_policy: { notice_period: { interval: 7, unit: 'days' as const }, cancellation_fee },
})

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news'),
    productDocument('quarter', policy({ type: 'percent_remaining', rate: 0.25 })),
    productDocument('all', policy({ type: 'full_commitment' })),
    productDocument('fixed', policy({ type: 'fixed_fee', amount: 150 })),
    productDocument('free', policy({ type: 'none' })),
  ])
}, 120_000)
afterAll(() => agent?.stop())

const order = (ids: readonly string[], start_time: string) =>
  agent.create({
    start_time,
    end_time: '2026-04-12T00:00:00Z',
    packages: ids.map((product_id) => ({ product_id, pricing_option_id: 'cpm', budget: 1000 })),
  })
const costs = ({ ext }: { ext: { terms: { cancellation_cost_at_most: number }[] } }) =>
  ext.terms.map(({ cancellation_cost_at_most }) => cancellation_cost_at_most)

test('an order says what cancelling it costs, before, in its changes and when it is done', async () => {
  const { data } = await order(['news', 'quarter', 'all', 'fixed', 'free'], '2026-03-02T00:00:00Z')
  expect(costs(data)).toEqual([250, 1000, 150, 0])
  expect(data.ext.terms[0]).toMatchObject({
    package_id: data.packages[1].package_id,
    cancellation_policy: { cancellation_fee: { rate: 0.25 } },
    currency: 'USD',
  })
  expect(summarizeCreated(data)).toContain('Cancelling costs at most 1400 USD (ext.terms).')
  const { data: read } = await agent.buyer.call('get_media_buys', { media_buy_ids: [data.media_buy_id] })
  expect(costs(read.media_buys[0])).toEqual([250, 1000, 150, 0])
  const raise = { package_id: data.packages[1].package_id, budget: 2000 }
  const { data: changed } = await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, packages: [raise] })
  expect(costs(changed)).toEqual([500, 1000, 150, 0])
  const { data: ended } = await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, canceled: true })
  expect(costs(ended)).toEqual([500, 1000, 150, 0])
})

test('notice that is kept costs nothing, and the answer says until when', async () => {
  const { data } = await order(['quarter'], '2026-03-20T00:00:00Z')
  expect(data.ext.terms).toMatchObject([{ free_until: '2026-03-13T00:00:00.000Z', cancellation_cost_at_most: 0 }])
  const { data: plain } = await order(['news'], '2026-03-20T00:00:00Z')
  expect(plain.ext ?? {}).not.toHaveProperty('terms')
})
