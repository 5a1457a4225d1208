import { expect, test } from 'vitest'
import { productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

/** As many packages as an order may have; see the limits of create_media_buy. */
const PACKAGES = 100

test('a page of media buys ends where it has packages enough, and goes on in the next', async () => {
  const agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  try {
    const packages = Array.from({ length: PACKAGES }, () => ({ product_id: 'news', pricing_option_id: 'cpm', budget: 10 }))
    const ids: string[] = []
    for (let order = 0; order < 22; order++)
      ids.push((await agent.create({ packages, po_number: String(order) })).data.media_buy_id)
    agent.setClock('2026-03-05T00:00:00Z')
    for (const named of [{}, { media_buy_ids: ids }]) {
      const page = async (more: object = {}) =>
        (await agent.buyer.call('get_media_buys', { ...named, pagination: { max_results: 100, ...more } })).data
      const first = await page()
      expect([first.media_buys.length, first.pagination.has_more]).toEqual([20, true])
      const second = await page({ cursor: first.pagination.cursor })
      expect([second.media_buys.length, second.pagination.has_more]).toEqual([2, false])
      const seen = [...first.media_buys, ...second.media_buys].map(({ media_buy_id: id }: { media_buy_id: string }) => id)
      expect(seen.toSorted()).toEqual(ids.toSorted())
    }
  } finally {
    await agent.stop()
  }
}, 120_000)
