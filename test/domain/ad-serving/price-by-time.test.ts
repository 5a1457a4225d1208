import { expect, test } from 'vitest'
import { settingsOf } from '../../../src/domain/ad-serving/desired-order-of.ts'
import { keptProduct } from '../../../src/domain/ad-serving/kept-offer.ts'
import type { PricingOption } from '../../../src/domain/product/pricing-option.ts'
import { plan, product } from '../../support/media-buy-fixtures.ts'

const BY_DAY: PricingOption = {
  pricing_option_id: 'day',
  pricing_model: 'time',
  currency: 'USD',
  fixed_price: 100,
  parameters: { time_unit: 'day' },
}
const takeover = product('takeover', { pricing_options: [BY_DAY] })
const serving = (pricing: readonly ('cpm' | 'flat_rate')[]) =>
  keptProduct(takeover, { pricing, targeting: [] }, () => undefined).selling

test('a price by time is served where flat prices are', () => {
  expect(serving(['cpm', 'flat_rate']).status).toBe('active')
  expect(serving(['cpm'])).toMatchObject({ status: 'paused', unserved: expect.stringContaining('no price of it (time)') })
})

test('ad servers know it as the price of the whole flight', () => {
  const [pkg] = plan({ packages: [{ product_id: 'takeover', pricing_option_id: 'day', budget: 2000 }] }, [takeover]).packages
  expect(pkg && settingsOf(pkg).price).toMatchObject({ model: 'flat_rate', rateMicros: 14 * 100_000_000 })
})
