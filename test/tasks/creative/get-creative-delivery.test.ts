import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { banner, startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let buyId: string
beforeAll(async () => {
  agent = await startCreativeAgent()
  const items = ['one', 'two', 'three'].map((item_id) => ({ item_id, title: item_id }))
  const feed = {
    creative_id: 'feed',
    name: 'Feed',
    format_id: { agent_url: agent.url, id: 'display_300x250' },
    assets: {
      ...banner(agent.url, 'feed').assets,
      catalog: { asset_type: 'catalog', type: 'product', items },
      impression_tracker: { asset_type: 'url', url: 'https://t.example/?s={SKU}' },
    },
  }
  await agent.run('sync_creatives', {
    validation_mode: 'lenient',
    creatives: [banner(agent.url, 'a'), banner(agent.url, 'b'), feed],
  })
  const assigned = [
    { creative_id: 'a', weight: 75 },
    { creative_id: 'b', weight: 25 },
  ]
  const { data } = await agent.create({
    packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: assigned }],
  })
  buyId = data.media_buy_id
  agent.setClock('2026-03-07T00:00:00Z')
})
afterAll(() => agent.stop())

const ask = (args: object, client = agent.buyer) => client.call('get_creative_delivery', args)

describe('get_creative_delivery', () => {
  it('divides what the buy delivered among its creatives, by weight', async () => {
    const { data } = await ask({ media_buy_ids: [buyId] })
    const { data: whole } = await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [buyId] })
    const { totals } = whole.media_buy_deliveries[0]
    const [a, b] = data.creatives
    expect(data).toMatchObject({ media_buy_id: buyId, currency: 'USD', reporting_period: { timezone: 'UTC' } })
    expect([a.creative_id, b.creative_id, data.creatives.length]).toEqual(['a', 'b', 2])
    expect(totals.impressions).toBeGreaterThan(1000)
    expect(a.totals.impressions + b.totals.impressions).toBe(totals.impressions)
    expect(a.totals.spend + b.totals.spend).toBeCloseTo(totals.spend, 6)
    expect(a.totals.impressions / totals.impressions).toBeCloseTo(0.75, 2)
    expect(a.variants).toMatchObject([
      { variant_id: 'a', impressions: a.totals.impressions, manifest: { assets: { image: {} } } },
    ])
    const snapshot = await agent.buyer.call('list_creatives', {
      include_snapshot: true,
      filters: { creative_ids: ['a', 'feed'] },
      sort: { field: 'name', direction: 'asc' },
    })
    expect(snapshot.data.creatives.map((each: { snapshot: object }) => each.snapshot)).toEqual([
      {
        as_of: '2026-03-07T00:00:00.000Z',
        staleness_seconds: 0,
        impressions: a.totals.impressions,
        last_served: '2026-03-06T23:59:59.999Z',
      },
      { as_of: '2026-03-07T00:00:00.000Z', staleness_seconds: 0, impressions: 0 },
    ])
  })

  it('cuts to days and creatives, and pages', async () => {
    const { data: all } = await ask({ creative_ids: ['b'] })
    const { data: day } = await ask({ creative_ids: ['b'], start_date: '2026-03-03', end_date: '2026-03-03' })
    expect(day.creatives).toHaveLength(1)
    expect(day.creatives[0].totals.impressions).toBeLessThan(all.creatives[0].totals.impressions / 3)
    expect(day.reporting_period).toMatchObject({ start: '2026-03-03T00:00:00.000Z', end: '2026-03-03T23:59:59.999Z' })
    const first = await ask({ media_buy_ids: [buyId], pagination: { max_results: 1 } })
    expect(first.data.pagination).toMatchObject({ limit: 1, offset: 0, has_more: true, total: 2 })
    const cursor = first.data.pagination.cursor
    const second = await ask({ media_buy_ids: [buyId], pagination: { max_results: 1, cursor } })
    expect(second.data.pagination).toMatchObject({ limit: 1, offset: 1, has_more: false, total: 2 })
    expect([first, second].map(({ data }) => data.creatives[0].creative_id)).toEqual(['a', 'b'])
  })

  it('tells the items of a catalog apart, and each can be previewed', async () => {
    const other = await agent.create({
      start_time: '2026-03-08T00:00:00Z',
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 500, creative_assignments: [{ creative_id: 'feed' }] }],
    })
    await agent.server.store.transaction(async (tx) => {
      await tx
        .updateTable('creatives')
        .set({ status: 'approved', approved_at: '2026-03-01T12:00:00.000Z' })
        .where('creative_id', '=', 'feed')
        .execute()
    })
    agent.setClock('2026-03-10T00:00:00Z')
    const { data } = await ask({ media_buy_ids: [other.data.media_buy_id], max_variants: 2 })
    const [feed] = data.creatives
    expect(feed).toMatchObject({ creative_id: 'feed', variant_count: 3 })
    expect(feed.variants.map((each: { variant_id: string }) => each.variant_id)).toEqual(['feed:one', 'feed:two'])
    expect(feed.variants[1].manifest.assets).toMatchObject({
      catalog: { ids: ['two'] },
      impression_tracker: { url: 'https://t.example/?s=two' },
    })
    const shown = await agent.buyer.call('preview_creative', { request_type: 'variant', variant_id: 'feed:two' })
    expect(shown.data).toMatchObject({
      variant_id: 'feed:two',
      creative_id: 'feed',
      manifest: { assets: { catalog: { ids: ['two'] } } },
    })
    const none = await agent.buyer.call('preview_creative', { request_type: 'variant', variant_id: 'feed:four' })
    expect(none.data.adcp_error).toMatchObject({ code: 'CREATIVE_NOT_FOUND' })
  })

  it('nothing of another agent, nothing of what is not there, and no question without a filter', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'other' }))
    for (const args of [{ media_buy_ids: [buyId] }, { creative_ids: ['a'] }, { media_buy_ids: ['absent'] }]) {
      expect((await ask(args, stranger)).data.creatives).toEqual([])
    }
    const bare = await ask({})
    expect(bare.isError).toBe(true)
  })
})
