import { expect, it } from 'vitest'
import { decimalMarkIn, readNumber, twoReadings } from '../../../src/platform/decode/read-number.ts'

it.each([
  ['12', '.', 12],
  ['12.5', '.', 12.5],
  ['0.0125', '.', 0.0125],
  ['1.234', '.', 1.234],
  ['12,50', '.', 12.5],
  ['12,50', ',', 12.5],
  ['4.5', ',', 4.5],
  ['1,234', ',', 1.234],
  ['0,125', '.', 0.125],
  ['1,234', '.', 'ambiguous'],
  ['1.234', undefined, 'ambiguous'],
  ['1,234', undefined, 'ambiguous'],
  ['1.23', undefined, 1.23],
  ['1 2345', '.', undefined],
  ['1 234 567', '.', 1234567],
  ['1.234', ',', 'ambiguous'],
  ['1.234,56', ',', 1234.56],
  ['1,234.56', '.', 1234.56],
  ['1.234.567', ',', 1234567],
  ['1 234,5', ',', 1234.5],
  ['1\u00a0234', ',', 1234],
  ["1'234.5", '.', 1234.5],
  ['1,23.4', '.', undefined],
  ['1.2.3', '.', undefined],
  ['-5', '.', undefined],
  ['€ 5', '.', undefined],
  ['1e3', '.', undefined],
  ['', '.', undefined],
] as const)('%j in a file of decimal %j is %j', (cell, decimal, value) => {
  expect(readNumber(cell, { decimal, whole: false })).toBe(value)
})

it.each([
  ['200000', 200000],
  ['200.000', 200000],
  ['200,000', 200000],
  ['200 000', 200000],
  ['1.200.000', 1200000],
  ['12.0', 12],
  ['0,500', undefined],
  ['0.007', undefined],
  ['12.5', undefined],
  ['1.2,000', undefined],
])('%j as a whole number is %j', (cell, value) => {
  for (const decimal of ['.', ','] as const) expect(readNumber(cell, { decimal, whole: true })).toBe(value)
})

it.each([
  ['1,200', undefined, '1,200 can be read in two ways: write 1200 or 1.2000'],
  ['1.005', 3, '1.005 can be read in two ways: write 1005 or 1.0050'],
  ['1.005', 2, '1.005 can be read in two ways: write 1005, or at most 2 decimals'],
  ['1.005', 0, '1.005 can be read in two ways: write 1005'],
])('%j with %j decimals at most has its advice', (text, most, advice) => {
  expect(twoReadings(text, most)).toBe(advice)
})

it.each([
  [['12', '4.5'], '.'],
  [['1.000', '0,125'], ','],
  [['1.234,56'], undefined],
  [['1.000', '2.500', '1,000'], undefined],
  [['4.5', '4,5'], undefined],
  [['', 'IAB1-2', '2026-01-01'], undefined],
] as const)('numbers %j show the mark %j', (texts, mark) => {
  expect(decimalMarkIn(texts)).toBe(mark)
})
