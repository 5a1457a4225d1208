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
    productDocument('clip', { name: 'Clip', description: 'Sports clips', delivery_type: 'guaranteed', channels: ['olv'] }),
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

test.each([
  ['sports, USD 20,000, display only', ['auction', 'banners']],
  ['sports, USD 20,000, no video', ['auction', 'banners']],
  ['sports, USD 20,000, video only', ['clip']],
  ['sports, USD 20,000, guaranteed only', ['banners', 'clip', 'video']],
  ['sports, USD 20,000, programmatic only', ['auction']],
  ['sports, USD 20,000, only radio', []],
])('"%s" lists %j, in plans too, and says that others are left out', async (brief, listed) => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief })
  const ids = data.products.map(({ product_id: id }: { product_id: string }) => id)
  expect(ids.filter((id: string) => id !== 'video').toSorted()).toEqual(listed.filter((id) => id !== 'video'))
  for (const { allocations } of data.proposals ?? []) for (const { product_id: id } of allocations) expect(ids).toContain(id)
  expect(data.ext.notes.join(' ')).toMatch(/left out|Left out/)
})

test('the kind of delivery that a brief asks for comes first, and the other one after it', async () => {
  const firstOf = async (brief: string) => {
    const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief })
    expect(data.ext.notes.join(' ')).toContain('without "only": products of the other kind are listed too, ranked lower')
    return data.products[0].product_id
  }
  expect(await firstOf('sports banners, programmatic')).toBe('auction')
  expect(await firstOf('sports banners, guaranteed')).toBe('banners')
})
