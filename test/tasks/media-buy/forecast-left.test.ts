import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const DATES = { start_date: '2026-04-01', end_date: '2026-04-10' }
const FLIGHT = { start_time: '2026-04-01T00:00:00Z', end_time: '2026-04-11T00:00:00Z' }
const forecast = {
  points: [{ metrics: { impressions: { low: 2_900_000, mid: 3_000_000, high: 3_000_000 } } }],
  forecast_range_unit: 'availability' as const,
  method: 'modeled' as const,
  currency: 'USD',
}
const sports = (id: string, dailyCapacity = 100_000) =>
  productDocument(
    id,
    { forecast, delivery_type: 'guaranteed' },
    { daily_capacity: dailyCapacity, keywords: ['sports'], approval: 'automatic' },
  )

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([sports('alpha'), sports('beta'), sports('gamma')])
}, 120_000)
afterAll(() => agent?.stop())

const named = async () => {
  const refine = [{ scope: 'product', product_id: 'alpha', action: 'include' }]
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine, filters: DATES })
  return data.products[0].forecast.points[0].metrics.impressions
}
const planned = async (budget: string) => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: `sports, ${budget}`, filters: DATES })
  const ids = (data.proposals ?? []).flatMap(({ allocations }: { allocations: { product_id: string }[] }) =>
    allocations.map(({ product_id }) => product_id),
  )
  return { ids, notes: (data.ext?.notes ?? []) as string[] }
}
const order = (impressions: number) =>
  agent.create({ ...FLIGHT, packages: [{ product_id: 'alpha', pricing_option_id: 'cpm', budget: (impressions / 1000) * cpm }] })
let cpm = 0

test('a forecast for dates, the plans for them and the answer to an order count what is sold', async () => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  cpm = data.products[0].pricing_options[0].fixed_price
  expect(cpm).toBeGreaterThan(0)
  expect(await named()).toEqual({ low: 966_667, mid: 1_000_000, high: 1_000_000 })
  const budget = `USD ${cpm * 900}`
  expect((await planned(budget)).ids).toContain('alpha')

  expect((await order(900_000)).isError).toBeFalsy()

  expect(await named()).toEqual({ low: 100_000, mid: 100_000, high: 100_000 })
  const refused = await order(200_000)
  expect(refused.isError).toBe(true)
  expect(JSON.stringify(refused.data)).toContain('"available_impressions":100000')
  const { ids, notes } = await planned(budget)
  expect(ids.length).toBeGreaterThan(0)
  expect(ids).not.toContain('alpha')
  expect(notes).toContainEqual(
    expect.stringMatching(
      /^Not in the plans, which would need more of it than is available from 2026-04-01 to 2026-04-10: alpha \(too little is left on 2026-04-01, .* and 5 more days; \d+ of the \d+ impressions fit\)\.$/,
    ),
  )
})
