import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts } from '../../support/release-agent.ts'

const takeover = {
  pricing_option_id: 'day',
  pricing_model: 'time' as const,
  currency: 'USD',
  fixed_price: 4200,
  parameters: { time_unit: 'day' as const, min_duration: 1, max_duration: 3 },
}
const auction = { pricing_option_id: 'bid', pricing_model: 'cpc' as const, currency: 'USD', floor_price: 0.5 }
const flat = { pricing_option_id: 'flat', pricing_model: 'flat_rate' as const, currency: 'USD', fixed_price: 900 }

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent(
    [
      productDocument('news'),
      productDocument('takeover', { pricing_options: [takeover] }),
      productDocument('clicks', { delivery_type: 'non_guaranteed', pricing_options: [auction] }),
      productDocument('sponsor', { pricing_options: [flat] }),
    ],
    { contracts },
  )
})
afterAll(() => agent?.stop())

const THREE_DAYS = { start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-05T00:00:00Z' }
const RATES = [
  ['takeover', 4200, 'USD per day'],
  ['clicks', 0.6, 'USD CPC'],
  ['sponsor', 900, 'USD flat'],
  ['news', 10, 'USD CPM'],
]
// biome-ignore lint/suspicious/noExplicitAny: a package of any answer
const ratesOf = (packages: readonly any[]) => packages.map(({ product_id, rate, rate_unit }) => [product_id, rate, rate_unit])

test.each(['3.0', '3.1', '3.2'])('answers of %s give the rate of each package with its unit', async (adcp_version) => {
  const { data: created } = await agent.create({
    adcp_version,
    packages: [
      { product_id: 'takeover', pricing_option_id: 'day', budget: 12_600, ...THREE_DAYS },
      { product_id: 'clicks', pricing_option_id: 'bid', budget: 500, bid_price: 0.6 },
      { product_id: 'sponsor', pricing_option_id: 'flat', budget: 900 },
      { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 },
    ],
  })
  expect(ratesOf(created.packages)).toEqual(RATES)
  const ids = { media_buy_ids: [created.media_buy_id] }
  const { data: read } = await agent.buyer.call('get_media_buys', { adcp_version, ...ids })
  expect(ratesOf(read.media_buys[0].packages)).toEqual(RATES)
  const update = {
    media_buy_id: created.media_buy_id,
    packages: [{ package_id: created.packages[1].package_id, bid_price: 0.7 }],
  }
  const { data: updated } = await agent.run('update_media_buy', { adcp_version, ...update })
  expect(ratesOf(updated.affected_packages)).toEqual([['clicks', 0.7, 'USD CPC']])
})

test('what is sold for some days alone is refused with its product and with what to send, which is taken', async () => {
  const line = { product_id: 'takeover', pricing_option_id: 'day', budget: 12_600 }
  const { data: refused } = await agent.create({ packages: [line] })
  expect(refused.adcp_error).toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'end_time',
    message: 'end_time: takeover is sold for 1 to 3 days, and 2026-03-02T00:00:00.000Z to 2026-03-12T00:00:00.000Z is 10 days',
    suggestion:
      'send packages[0].start_time and packages[0].end_time with 1 to 3 days between them, inside the flight of the media buy',
  })
  const { data: taken } = await agent.create({ packages: [{ ...line, ...THREE_DAYS }] })
  expect(taken.errors).toBeUndefined()
  const { data: own } = await agent.create({ packages: [{ ...line, end_time: '2026-03-09T00:00:00Z' }] })
  expect(own.adcp_error.field).toBe('packages[0].end_time')
})

test.each([
  ['sponsor', 'flat', 900, false],
  ['takeover', 'day', 12_600, false],
  ['news', 'cpm', 1000, true],
])('extend_flight of %s is offered where it is possible alone', async (product_id, pricing_option_id, budget, isPossible) => {
  const { data } = await agent.create({
    adcp_version: '3.1',
    ...THREE_DAYS,
    packages: [{ product_id, pricing_option_id, budget }],
  })
  const actions = data.available_actions.map(({ action }: { action: string }) => action)
  expect(actions.includes('extend_flight')).toBe(isPossible)
  const later = { media_buy_id: data.media_buy_id, end_time: '2026-03-08T00:00:00Z' }
  const { isError } = await agent.run('update_media_buy', later)
  expect(isError).toBe(!isPossible)
})

test('a flat package beside others keeps its flight while theirs gets longer, as the refusal says', async () => {
  const { data: buy } = await agent.create({
    adcp_version: '3.1',
    packages: [
      { product_id: 'sponsor', pricing_option_id: 'flat', budget: 900 },
      { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 },
    ],
  })
  expect(buy.available_actions.map(({ action }: { action: string }) => action)).toContain('extend_flight')
  const longer = { media_buy_id: buy.media_buy_id, end_time: '2026-03-20T00:00:00Z' }
  const { data: refused } = await agent.run('update_media_buy', longer)
  const [, advised = ''] = /packages: (\{.*?\})\)/.exec(refused.adcp_error.suggestion) ?? []
  const { isError } = await agent.run('update_media_buy', { ...longer, packages: [JSON.parse(advised)] })
  expect(isError).toBe(false)
})
