import { expect, test } from 'vitest'
import { breakDown } from '../../../src/domain/media-buy/breakdown.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'

const PARTS = [
  { label: 'SE', weight: 3 },
  { label: 'NO', weight: 2 },
  { label: 'DK', weight: 1 },
]

test('what a part spent is the price of its units to the cent, and the parts add up', () => {
  const impressions = { ...NOTHING, impressions: 20, clicks: 4, completedViews: 7 }
  const rows = breakDown({ ...impressions, spendMicros: 1_000_000 }, PARTS, { model: 'cpm', currency: 'EUR' })
  expect(rows.map(({ metrics }) => [metrics.impressions, metrics.spendMicros])).toEqual([
    [10, 500_000],
    [7, 350_000],
    [3, 150_000],
  ])
  const views = breakDown({ ...impressions, spendMicros: 700_000 }, PARTS, { model: 'cpcv', currency: 'EUR' })
  for (const { metrics } of views) expect(metrics.spendMicros).toBe(metrics.completedViews * 100_000)
  expect(views.reduce((sum, { metrics }) => sum + metrics.spendMicros, 0)).toBe(700_000)
})

test('a part without a unit that is paid for spent nothing; without any such unit spend is by weight', () => {
  const few = breakDown({ ...NOTHING, impressions: 600, clicks: 1, spendMicros: 500_000 }, PARTS, {
    model: 'cpc',
    currency: 'EUR',
  })
  for (const { metrics } of few) expect(metrics.spendMicros).toBe(metrics.clicks * 500_000)
  const none = breakDown({ ...NOTHING, spendMicros: 600_000 }, PARTS, { model: 'flat_rate', currency: 'EUR' })
  expect(none.map(({ metrics }) => metrics.spendMicros)).toEqual([300_000, 200_000, 100_000])
})
