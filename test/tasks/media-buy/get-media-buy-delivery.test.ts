import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeDelivery } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news', { format_ids: [] }),
    productDocument('video', {
      format_ids: [],
      channels: ['olv'],
      pricing_options: [{ pricing_option_id: 'cpcv', pricing_model: 'cpcv', currency: 'USD', fixed_price: 0.03 }],
    }),
  ])
  const packages = [
    { product_id: 'news', pricing_option_id: 'cpm', budget: 777.77 },
    { product_id: 'video', pricing_option_id: 'cpcv', budget: 333.33, pacing: 'front_loaded' },
  ]
  id = (await agent.create({ packages })).data.media_buy_id
})
afterAll(() => agent.stop())

const report = async (args: object = {}) =>
  (await agent.buyer.call('get_media_buy_delivery', { media_buy_ids: [id], include_package_daily_breakdown: true, ...args })).data

const cents = (amount: number) => Math.round(amount * 100)
const sum = (rows: { spend: number; impressions: number }[]) => [
  rows.reduce((a, row) => a + cents(row.spend), 0),
  rows.reduce((a, row) => a + row.impressions, 0),
]

describe('get_media_buy_delivery', () => {
  test('completion of an order is that of its video, whatever its banners showed', async () => {
    agent.setClock('2026-03-04T07:13:00Z')
    const [{ totals, by_package }] = (await report()).media_buy_deliveries
    expect(by_package[0].completion_rate).toBeUndefined()
    expect(totals.completion_rate).toBeCloseTo(by_package[1].completion_rate, 6)
  })

  test('text about a period without delivery says that end_date is not part of it', async () => {
    const data = await report({ start_date: '2026-02-01', end_date: '2026-02-08' })
    expect(data.reporting_period.end).toBe('2026-02-08T00:00:00.000Z')
    expect(summarizeDelivery(data)).toContain(
      'it ends before 2026-02-08T00:00:00.000Z; end_date is the first day after the report',
    )
  })

  test('totals are the sum of packages and of days, and only grow, up to the budget', async () => {
    let before = 0
    for (const now of [
      '2026-03-01T12:00:00Z',
      '2026-03-02T00:00:01Z',
      '2026-03-04T07:13:00Z',
      '2026-03-11T23:59:59Z',
      '2026-03-13T00:00:00Z',
    ]) {
      agent.setClock(now)
      const data = await report()
      const [buy] = data.media_buy_deliveries
      const totals = [cents(buy.totals.spend), buy.totals.impressions]
      expect(sum(buy.by_package)).toEqual(totals)
      expect(sum(buy.daily_breakdown)).toEqual(totals)
      for (const pkg of buy.by_package) expect(sum(pkg.daily_breakdown)).toEqual([cents(pkg.spend), pkg.impressions])
      expect([cents(data.aggregated_totals.spend), data.aggregated_totals.impressions]).toEqual(totals)
      expect(totals[0]).toBeGreaterThanOrEqual(before)
      before = totals[0] as number
    }
    expect(before).toBe(111_110)
    const [buy] = (await report()).media_buy_deliveries
    expect(buy).toMatchObject({
      status: 'completed',
      by_package: [{ delivery_status: 'completed', is_final: true }, { completed_views: 11_111 }],
    })
  })

  test('a range of days cuts the report, and a wrong one is named', async () => {
    agent.setClock('2026-03-20T00:00:00Z')
    // The end is the first day after the report.
    const data = await report({ start_date: '2026-03-03', end_date: '2026-03-05' })
    expect(data.reporting_period).toEqual({ start: '2026-03-03T00:00:00.000Z', end: '2026-03-05T00:00:00.000Z' })
    expect(data.media_buy_deliveries[0].daily_breakdown.map((day: { date: string }) => day.date)).toEqual([
      '2026-03-03',
      '2026-03-04',
    ])
    expect((await report({ start_date: '2026-03-04', end_date: '2026-03-03' })).adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'end_date',
    })
  })

  test('pace and state of a package are those of its whole flight, whatever days the report has', async () => {
    const paces = async (args: object = {}) =>
      (await report(args)).media_buy_deliveries[0].by_package.map((pkg: { pacing_index: number; delivery_status: string }) => [
        pkg.pacing_index,
        pkg.delivery_status,
      ])
    const day = { start_date: '2026-03-03', end_date: '2026-03-04' }
    agent.setClock('2026-03-06T00:00:00Z')
    const [[pace, state]] = await paces()
    expect([pace, state]).toEqual([1, 'delivering'])
    expect(await paces(day)).toEqual(await paces())
    agent.setClock('2026-03-20T00:00:00Z')
    expect((await paces(day))[0]).toEqual([1, 'completed'])
  })

  test('a pause stops delivery and a resume catches up by the end of the flight', async () => {
    agent.setClock('2026-03-21T00:00:00Z')
    const flight = { start_time: '2026-03-22T00:00:00Z', end_time: '2026-04-01T00:00:00Z' }
    const bought = (await agent.create(flight)).data.media_buy_id
    const spend = async (now: string) => {
      agent.setClock(now)
      return (await report({ media_buy_ids: [bought] })).media_buy_deliveries[0].totals.spend
    }
    expect(await spend('2026-03-24T00:00:00Z')).toBe(200)
    await agent.run('update_media_buy', { media_buy_id: bought, paused: true })
    expect(await spend('2026-03-28T00:00:00Z')).toBe(200)
    await agent.run('update_media_buy', { media_buy_id: bought, paused: false })
    expect(await spend('2026-03-30T00:00:00Z')).toBe(600)
    expect(await spend('2026-04-02T00:00:00Z')).toBe(1000)
  })
})
