import { afterAll, beforeAll, expect, test } from 'vitest'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

// A call that names ids gets all of them, up to fifty, in one answer: no page that was made for searches cuts it.

const COUNT = 50
const numbers = Array.from({ length: COUNT }, (_, index) => index)
let agent: MediaBuyAgent

beforeAll(async () => {
  const products = ['news', ...numbers.map((index) => `p${index}`)]
  agent = await startMediaBuyAgent(products.map((id) => productDocument(id)))
})
afterAll(() => agent.stop())

const data = async (task: string, args: object) => {
  const reply = await agent.run(task, args)
  expect(reply.isError, JSON.stringify(reply.data)).toBe(false)
  return reply.data
}

test('get_products: products of refine entries', async () => {
  const refine = numbers.map((index) => ({ scope: 'product', product_id: `p${index}` }))
  const { products } = await data('get_products', { buying_mode: 'refine', refine })
  expect(products.map(({ product_id }: { product_id: string }) => product_id)).toEqual(refine.map(({ product_id }) => product_id))
})

test('get_media_buys and get_media_buy_delivery: media buys', async () => {
  const media_buy_ids: string[] = []
  for (const index of numbers) media_buy_ids.push((await agent.create({ po_number: `order ${index}` })).data.media_buy_id)
  const listed = await data('get_media_buys', { media_buy_ids })
  expect(new Set(listed.media_buys.map(({ media_buy_id }: { media_buy_id: string }) => media_buy_id))).toEqual(
    new Set(media_buy_ids),
  )
  expect(listed.pagination.has_more).toBe(false)
  expect((await data('get_media_buy_delivery', { media_buy_ids })).media_buy_deliveries).toHaveLength(COUNT)
})

test('list_creatives: creatives, with what is in them', async () => {
  const creative_ids = numbers.map((index) => `c${index}`)
  await data('sync_creatives', { creatives: creative_ids.map((id) => banner(agent.url, id)) })
  const listed = await data('list_creatives', { filters: { creative_ids } })
  expect(listed.creatives).toHaveLength(COUNT)
  for (const creative of listed.creatives) expect(creative.assets).toBeDefined()
})

test('list_creative_formats: formats', async () => {
  const first = await data('list_creative_formats', {})
  const format_ids = first.formats.map(({ format_id }: { format_id: object }) => format_id)
  expect(format_ids).toHaveLength(COUNT)
  const named = await data('list_creative_formats', { format_ids: format_ids.toReversed() })
  expect(named.formats).toHaveLength(COUNT)
})
