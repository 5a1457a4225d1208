import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetToMicros, microsToAmount, minorUnitMicros, mulDiv, priceToMicros, split } from '../../src/domain/money.ts'

describe('amounts', () => {
  test('every amount in cents survives the way there and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9e11 }), (cents) => {
        const micros = budgetToMicros(Number(`${cents}e-2`), 'USD', 'budget')
        expect(micros).toBe(cents * 10_000)
        expect(microsToAmount(micros)).toBe(Number(`${cents}e-2`))
      }),
    )
  })

  test('every price in millionths survives', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e14 }), (micros) => {
        expect(priceToMicros(Number(`${micros}e-6`), 'price')).toBe(micros)
      }),
    )
  })

  test('binary noise is not precision, real precision is refused', () => {
    expect(budgetToMicros(0.1 + 0.2, 'USD', 'budget')).toBe(300_000)
    expect(() => budgetToMicros(0.001, 'USD', 'packages[0].budget')).toThrow(/packages\[0\].budget has more than 2/)
    expect(() => budgetToMicros(10.5, 'JPY', 'budget')).toThrow(/more than 0/)
    expect(budgetToMicros(10.125, 'KWD', 'budget')).toBe(10_125_000)
    for (const amount of [-1, 1e16, 1e300, Number.POSITIVE_INFINITY, Number.NaN])
      expect(() => budgetToMicros(amount, 'USD', 'budget')).toThrow('budget is out of range')
    expect(() => budgetToMicros(Number.MIN_VALUE, 'USD', 'budget')).toThrow('more than 2')
  })
})

test('split gives payable parts that add up exactly and follow the weights', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc
        .array(fc.integer({ min: 0, max: 1e8 }), { minLength: 1, maxLength: 20 })
        .filter((all) => all.some((one) => one > 0))
        .map((all) => all.map((parts) => parts / 1e6)),
      (cents, weights) => {
        const step = minorUnitMicros('USD')
        const parts = split(cents * step, weights, step)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(cents * step)
        const sum = weights.reduce((a, b) => a + b, 0)
        for (const [index, part] of parts.entries()) {
          expect(part % step).toBe(0)
          const ideal = (cents * step * weights[index]!) / sum
          expect(Math.abs(part - ideal)).toBeLessThanOrEqual(step + 1)
        }
      },
    ),
  )
})

test('mulDiv does not lose what doubles would', () => {
  expect(mulDiv(9_007_199_254_740_991, 999_999, 1_000_000)).toBe(Number((9_007_199_254_740_991n * 999_999n) / 1_000_000n))
})
