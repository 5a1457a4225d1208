import { expect, test } from 'vitest'
import type { LineOrder } from '../../src/ad-serving/ad-server.ts'
import { requireUncapped } from '../../src/ad-serving/require-kept.ts'

const line = (dailyCap?: object): LineOrder => ({
  packageId: 'p',
  productId: 'news',
  pricing: { pricingOptionId: 'o', model: 'cpm', basis: 'fixed', currency: 'USD', fixedMicros: 5_000_000, maxBid: false },
  guaranteed: false,
  terms: {
    from: '2026-03-01T00:00:00.000Z',
    startsAt: '2026-03-02T00:00:00.000Z',
    endsAt: '2026-03-09T00:00:00.000Z',
    budgetMicros: 5_000_000,
    rateMicros: 5_000_000,
    pacing: 'even',
    running: true,
    ...(dailyCap && { dailyCap }),
  },
})

test('an ad server that is called with each order is not given a cap that it does not know', () => {
  expect(() => requireUncapped([line()])).not.toThrow()
  const message = 'the ad server of news cannot keep a limit on what a day costs'
  expect(() => requireUncapped([line(), line({ ownMicros: 5 })])).toThrow(`${message}; leave daily_budget_cap out`)
  expect(() => requireUncapped([line({ sharedMicros: 5 })])).toThrow(`${message}; leave daily_budget_cap of the media buy out`)
})
