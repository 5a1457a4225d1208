import { expect, test } from 'vitest'
import { ReportSize } from '../../../src/domain/media-buy/report-totals.ts'
import type { MediaBuyDelivery } from '../../../src/domain/media-buy/shown-delivery.ts'

/** A media buy of so many packages, each with so many days. */
function delivered(packages: number, days: number): MediaBuyDelivery {
  const daily = Array.from({ length: days }, () => ({ date: '2026-03-01', impressions: 1, spend: 1 }))
  const pkg = {
    package_id: 'p1',
    pricing_model: 'cpm' as const,
    rate: 1,
    currency: 'USD',
    paused: false,
    is_final: false,
    daily_breakdown: daily,
  }
  return {
    media_buy_id: 'mb_1',
    status: 'active',
    totals: {},
    by_package: Array.from({ length: packages }, () => pkg),
    daily_breakdown: [],
  }
}

test('a report carries a hundred media buys of 200 packages, and refuses more rows than it can carry with how to ask for less', () => {
  const size = new ReportSize()
  for (let buy = 0; buy < 100; buy++) size.add(delivered(200, 0))
  expect(() => size.add(delivered(10, 8_000))).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', field: 'media_buy_ids', message: expect.stringContaining('start_date') }),
  )
})

test('days, parts and windows count', () => {
  const size = new ReportSize()
  size.add(delivered(100, 998))
  expect(() => size.add({ ...delivered(1, 0), windows: Array.from({ length: 60 }, () => ({})) })).toThrow('100000 rows')
})
