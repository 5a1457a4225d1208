import { expect, it } from 'vitest'
import { money, unitPrice } from '../../src/console/format.ts'

it('an amount has the form of its currency, and the words of one that is none', () => {
  expect(money(1_200.5, 'EUR')).toBe('€1,200.50')
  expect(money(1_200.5, 'jpy')).toBe('¥1,201')
  expect(unitPrice(0.008, 'USD')).toBe('$0.008')
  for (const none of ['', 'euros', 'e1r', '€']) expect([money(3, none), unitPrice(3, none)]).toEqual([`3 ${none}`, `3 ${none}`])
})

it('a currency keeps its form after any number of texts that are none', () => {
  for (let at = 0; at < 1_000; at++) money(1, `none ${at}`)
  expect([money(2, 'EUR'), money(2, 'SEK')]).toEqual(['€2.00', 'SEK\u00a02.00'])
})
