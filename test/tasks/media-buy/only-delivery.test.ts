import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const auction = {
    ...{ name: 'Sports display auction', description: 'Sports banners', delivery_type: 'non_guaranteed' as const },
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'USD', floor_price: 1 }],
  }
  agent = await startMediaBuyAgent([
    productDocument('video', { name: 'Sports video', description: 'Sports video', delivery_type: 'guaranteed' }),
    productDocument('banners', { name: 'Sports banners', description: 'Sports banners', delivery_type: 'guaranteed' }),
    productDocument('auction', auction),
  ])
})
afterAll(() => agent.stop())

test.each([
  ['sports banners, USD 20,000', ['auction', 'banners', 'video']],
  ['sports banners, USD 20,000, guaranteed only', ['banners', 'video']],
  ['sports banners, USD 20,000, no auctions', ['banners', 'video']],
  // A plan has two products or more.
  ['sports banners, USD 20,000, programmatic only', []],
])('"%s" is planned with %j', async (brief, planned) => {
  const { proposals = [] } = (await agent.buyer.call('get_products', { buying_mode: 'brief', brief })).data
  const ids = proposals.flatMap(({ allocations }: { allocations: { product_id: string }[] }) =>
    allocations.map(({ product_id: id }) => id),
  )
  expect([...new Set(ids)].toSorted()).toEqual(planned)
})

test.each([
  ['weekends only', 'the days of the week'],
  ['Saturdays and Sundays, evenings', 'the days of the week and the hours of the day'],
])('"%s" is said to be no part of the plan, and where it is sent', async (words, said) => {
  const { ext } = (
    await agent.buyer.call('get_products', { buying_mode: 'brief', brief: `sports banners, USD 20,000, ${words}` })
  ).data
  const notes = ext.notes.join('\n')
  expect(notes).toMatch(new RegExp(`Not part of products and proposals: ${said} \\(.*daypart_targets`))
  expect(notes).not.toContain('No product is known')
})
