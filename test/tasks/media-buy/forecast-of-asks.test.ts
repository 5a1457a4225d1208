import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const forecast = {
  points: [{ metrics: { impressions: { low: 1_400_000, mid: 1_500_000, high: 1_500_000 } } }],
  forecast_range_unit: 'availability' as const,
  method: 'modeled' as const,
  currency: 'EUR',
}
const cpm = { pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: 'EUR', fixed_price: 14 }
const DAY_PRICE = 4_000
const day = {
  pricing_option_id: 'day',
  pricing_model: 'flat_rate' as const,
  currency: 'EUR',
  fixed_price: DAY_PRICE,
  parameters: { type: 'dooh' as const, duration_hours: 24 },
}

let agent: MediaBuyAgent
beforeAll(async () => {
  const selling = { daily_capacity: 50_000, keywords: ['sports'], approval: 'automatic' as const, countries: ['SE', 'NO'] }
  agent = await startMediaBuyAgent(
    [
      productDocument('wide', { forecast, pricing_options: [cpm] }, { ...selling, discounts: [{ percent: 15 }] }),
      productDocument('takeover', { pricing_options: [day] }, selling),
    ],
    { contracts: loadContracts() },
  )
})
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const DATES = { start_date: '2026-05-01', end_date: '2026-05-14' }
const refine = async (product_id: string, ask: string, more: object) => {
  const entry = { scope: 'product', product_id, action: 'include', ask }
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'refine', refine: [entry], ...more })
  return { outcome: data.refinement_applied[0], product: data.products[0], notes: data.ext?.notes ?? [] }
}
const words = (days: string, more = '') => ({ brief: `sports${days}${more}` })

describe.each(PINS)('the forecast of a product for a budget, %j', (pin) => {
  test.each([
    ['the filters', { filters: DATES }],
    ['the brief beside refine', words(', 1 May 2026 to 14 May 2026')],
  ])('is for the days of %s, and what does not fit is said', async (_where, more) => {
    const { outcome, product } = await refine('wide', 'for EUR 12,000', { ...pin, ...more })
    expect(product.forecast.points).toMatchObject([
      { budget: 12_000, label: '14 days, untargeted', metrics: { impressions: { mid: 700_000, high: 700_000 } } },
    ])
    expect(outcome).toMatchObject({
      status: 'partial',
      notes:
        'applied: forecast for 12000 EUR. not possible: 2200 EUR of it do not fit: the 700000 impressions that it has in 14 days cost 9800 EUR',
    })
    expect((await refine('wide', 'for EUR 7,000', { ...pin, ...more })).outcome).toMatchObject({
      status: 'applied',
      notes: 'applied: forecast for 7000 EUR',
    })
  })

  test('counts thirty days where no days are named', async () => {
    const { outcome } = await refine('wide', 'for EUR 22,000', pin)
    expect(outcome.notes).toContain('1000 EUR of it do not fit: the 1500000 impressions that it has in 30 days cost 21000 EUR')
  })

  test.each([
    [', three a day', 'a frequency cap'],
    [', only in Sweden', 'SE'],
  ])('is not made for a brief with "%s"', async (more, what) => {
    const { outcome, product, notes } = await refine('wide', 'for EUR 7,000', {
      ...pin,
      ...words(', 1 May 2026 to 14 May 2026', more),
    })
    expect(outcome).toMatchObject({ status: 'unable', notes: expect.stringContaining(`none is estimated for ${what}`) })
    expect(product.forecast).toBeUndefined()
    expect(notes.join(' ')).toContain(`Forecasts are not estimated for ${what}`)
  })

  test('is at the price that is granted', async () => {
    const { outcome, product } = await refine('wide', '15% off for EUR 5,950', { ...pin, filters: DATES })
    expect(outcome.status).toBe('applied')
    expect(product.forecast.points[0].metrics.impressions.mid).toBe(500_000)
  })
})

test('what is sold by the day has to fit a budget with all days of the question', async () => {
  const { data } = await agent.buyer.call('get_products', {
    buying_mode: 'brief',
    brief: 'sports, EUR 20,000, 1 May 2026 to 14 May 2026',
    fields: ['brief_relevance'],
  })
  const takeover = data.products.find(({ product_id }: { product_id: string }) => product_id === 'takeover')
  expect(takeover.brief_relevance).toContain(
    `Needs at least ${14 * DAY_PRICE} EUR for these days, more than the budget of 20000.`,
  )
  const { outcome } = await refine('takeover', 'for EUR 20,000', { filters: DATES })
  expect(outcome.notes).toContain(`its minimum spend is ${14 * DAY_PRICE} EUR`)
  const alone = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'sports, EUR 20,000' })
  expect(JSON.stringify(alone.data)).toContain('Fits the budget of 20000 EUR.')
})
