import { expect, it } from 'vitest'
import { exactText } from '../../src/operator/amount.ts'

it('a price of a unit or an exact sum has the digits of its currency, and more as far as it has them', () => {
  expect(exactText(12.5, 'EUR')).toBe('12.50')
  expect(exactText(1234.567, 'SEK')).toBe('1234.567')
  expect(exactText(0.000001, 'EUR')).toBe('0.000001')
  expect(exactText(1250, 'JPY')).toBe('1250')
  expect(exactText(0.5, 'JPY')).toBe('0.5')
  expect(exactText(2, 'KWD')).toBe('2.000')
  expect(exactText(-0.004, 'EUR')).toBe('-0.004')
})
