import { afterAll, beforeAll, expect, test } from 'vitest'
import { summarizeDelivery } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const euro = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'EUR', fixed_price: 10 } as const
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('europe', { pricing_options: [euro] })])
}, 120_000)
afterAll(() => agent?.stop())

test('a report of media buys in several currencies says so, in data and in text', async () => {
  const ids: string[] = []
  for (const product_id of ['europe', 'news']) {
    const { data } = await agent.create({ packages: [{ product_id, pricing_option_id: 'cpm', budget: 1000 }] })
    ids.push(data.media_buy_id)
  }
  const { data } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: ids })
  const note = 'These media buys are in EUR and USD: money is in the currency of each package, and no totals are given.'
  expect(data.ext.notes).toContain(note)
  expect(data).not.toHaveProperty('aggregated_totals')
  expect(summarizeDelivery(data)).toContain(note)
  const { data: one } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: ids.slice(0, 1) })
  expect(one.ext?.notes).toBeUndefined()
})
