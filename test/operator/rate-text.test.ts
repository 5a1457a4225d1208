import { expect, it } from 'vitest'
import { rateText } from '../../src/operator/amount.ts'

it('a price of a unit has the digits of its currency, and more as far as it has them', () => {
  expect(rateText(12.5, 'EUR')).toBe('12.50')
  expect(rateText(1234.567, 'SEK')).toBe('1234.567')
  expect(rateText(0.000001, 'EUR')).toBe('0.000001')
  expect(rateText(1250, 'JPY')).toBe('1250')
  expect(rateText(0.5, 'JPY')).toBe('0.5')
  expect(rateText(2, 'KWD')).toBe('2.000')
})
