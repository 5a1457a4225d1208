import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('print', {}, { creative_lead_hours: 48 })])
  await agent.run('sync_creatives', { creatives: [bannerAt('first'), bannerAt('second')] })
}, 120_000)
afterAll(() => agent?.stop())

const bannerAt = (creative_id: string) => ({
  creative_id,
  name: creative_id,
  format_id: { agent_url: agent.url, id: 'display_300x250' },
  assets: {
    image: { asset_type: 'image', url: 'https://cdn.brand.example/a.png', width: 300, height: 250, format: 'png' },
    click_url: { asset_type: 'url', url: 'https://brand.example/' },
  },
})
const packageOf = (product_id: string, more: object = {}) => ({ product_id, pricing_option_id: 'cpm', budget: 1000, ...more })
const order = (...products: readonly string[]) =>
  agent.create({
    start_time: '2026-03-10T00:00:00Z',
    end_time: '2026-03-20T00:00:00Z',
    packages: products.map((id) => packageOf(id)),
  })

test('a media buy says until when its creatives are taken', async () => {
  const { data: plain } = await order('news')
  // Its product says nothing of when creatives are due: the end of the flight is no deadline.
  expect(plain).not.toHaveProperty('creative_deadline')
  expect(plain.packages[0]).not.toHaveProperty('creative_deadline')
  const { data: mixed } = await order('news', 'print')
  // That of the order would hold for the package that has none.
  expect(mixed).not.toHaveProperty('creative_deadline')
  expect(mixed.packages[0]).not.toHaveProperty('creative_deadline')
  expect(mixed.packages[1].creative_deadline).toBe('2026-03-08T00:00:00.000Z')
  const { data: print } = await order('print')
  expect(print.creative_deadline).toBe('2026-03-08T00:00:00.000Z')
  const { data: read } = await agent.buyer.call('get_media_buys', { media_buy_ids: [mixed.media_buy_id] })
  expect(read.media_buys[0]).not.toHaveProperty('creative_deadline')
  expect(read.media_buys[0].packages[0]).not.toHaveProperty('creative_deadline')
  expect(read.media_buys[0].packages[1]).toMatchObject({ creative_deadline: '2026-03-08T00:00:00.000Z' })
})

test('a flight that starts when its creatives would be due already is refused', async () => {
  const { data } = await agent.create({ packages: [packageOf('print')] })
  expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'packages[0].start_time' })
  expect(data.adcp_error.message).toContain('2026-03-03T12:00:00.000Z at the earliest')
})

test('after the deadline creatives are refused, but those of packages without one are taken', async () => {
  const { data: buy } = await order('news', 'print')
  const [news, print] = buy.packages
  const assign = (package_id: string, creative_id: string) =>
    agent.run('update_media_buy', {
      media_buy_id: buy.media_buy_id,
      packages: [{ package_id, creative_assignments: [{ creative_id }] }],
    })
  expect((await assign(print.package_id, 'first')).data.errors).toBeUndefined()
  agent.setClock('2026-03-09T00:00:00Z')
  const late = await assign(print.package_id, 'second')
  expect(late.data.adcp_error).toMatchObject({
    code: 'CREATIVE_DEADLINE_EXCEEDED',
    recovery: 'correctable',
    field: 'packages[0].creative_assignments',
    details: { creative_deadline: '2026-03-08T00:00:00.000Z' },
  })
  expect((await assign(news.package_id, 'second')).data.errors).toBeUndefined()
  const synced = await agent.run('sync_creatives', {
    creatives: [bannerAt('second'), bannerAt('first')],
    assignments: [
      { creative_id: 'second', package_id: print.package_id },
      { creative_id: 'first', package_id: print.package_id },
    ],
  })
  const [second, first] = synced.data.creatives
  expect(second.assignment_errors[print.package_id]).toContain('were due by 2026-03-08T00:00:00.000Z')
  expect(first.assigned_to).toContain(print.package_id)
  const budget = await agent.run('update_media_buy', {
    media_buy_id: buy.media_buy_id,
    packages: [{ package_id: print.package_id, budget: 1500 }],
  })
  expect(budget.data.errors).toBeUndefined()
})
