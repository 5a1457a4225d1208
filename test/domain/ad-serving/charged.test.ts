import { expect, it } from 'vitest'
import { chargedMicros } from '../../../src/domain/ad-serving/charged.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'
import type { Pricing } from '../../../src/domain/media-buy/media-buy.ts'
import { chargeRuleOf, rateOf } from '../../../src/domain/media-buy/pricing.ts'

const option = (more: Partial<Pricing>): Pricing => ({
  pricingOptionId: 'bids',
  model: 'cpm',
  basis: 'auction',
  currency: 'USD',
  maxBid: false,
  floorMicros: 1_000_000,
  guideMicros: 2_800_000,
  ...more,
})
const counts = { ...NOTHING, impressions: 1_001, clicks: 7 }

it.each([
  ['first_price', option({}), 6, 6_006_000],
  ['clearing_price', option({ maxBid: true }), 6, 2_802_800],
  ['clearing_price', option({ maxBid: true }), 2, 2_002_000],
  ['clearing_price', option({ maxBid: true, floorMicros: 3_000_000 }), 6, 3_003_000],
  ['fixed_price', option({ basis: 'fixed', fixedMicros: 5_000_000 }), 6, 5_005_000],
] as const)('%s is quantity × rate to the micro, whatever was bid', (rule, pricing, bid, spend) => {
  const rate = rateOf(pricing, { amount: bid, member: 'bid_price' }, 'packages[0]')
  expect(chargeRuleOf(pricing)).toBe(rule)
  expect(chargedMicros({ model: pricing.model, ...rate }, counts)).toBe(spend)
  expect((counts.impressions * rate.rateMicros) / 1000).toBe(spend)
})
