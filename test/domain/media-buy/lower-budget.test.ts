import { expect, test } from 'vitest'
import { policyWords } from '../../../src/domain/media-buy/cancellation-ahead.ts'
import { lowerBudget } from '../../../src/domain/media-buy/shortage.ts'

const half = { requested: 1000, fits: 500 }
const booked = { micros: 400_000_000, currency: 'EUR' }

test('no budget is advised that is below the least that an order is for', () => {
  expect(lowerBudget(half, booked)).toEqual({ words: 'lower the budget to 200 EUR, ', payable: 200 })
  expect(lowerBudget(half, { ...booked, leastMicros: 200_000_000 })).toEqual({
    words: 'lower the budget to 200 EUR, ',
    payable: 200,
  })
  expect(lowerBudget(half, { ...booked, leastMicros: 300_000_000 })).toEqual({
    words: 'no lower budget helps, since an order of it is for 300 EUR at least: ',
  })
  expect(lowerBudget({ requested: 1000, fits: 0 }, booked)).toEqual({ words: '' })
})

test('a fixed fee is said in the currency of the prices', () => {
  const policy = {
    notice_period: { interval: 3, unit: 'days' },
    cancellation_fee: { type: 'fixed_fee', amount: 500 },
  } as const
  expect(policyWords(policy, ['EUR', 'EUR'])).toBe('cancelling later than 3 days before the start costs a fixed fee of 500 EUR')
  expect(policyWords(policy, ['EUR', 'SEK'])).toContain('a fixed fee of 500 in the currency of the order')
})
