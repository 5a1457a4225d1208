import { expect, test } from 'vitest'
import { pacingIndex } from '../../../src/domain/media-buy/present-delivery.ts'
import { plan } from '../../support/media-buy-fixtures.ts'

const START = '2026-04-01T00:00:00Z'
const HOUR = 3_600_000
const buy = plan({ start_time: START, end_time: '2026-05-01T00:00:00Z' })
const [pkg] = buy.packages
const budget = pkg!.terms.budgetMicros
const at = (hours: number) => new Date(Date.parse(START) + hours * HOUR)
const index = (spentShare: number, hours: number) =>
  pacingIndex(pkg!, { spendMicros: Math.round(budget * spentShare), impressions: 0 }, at(hours))

test('is 1 when the spend is that of an even pace', () => {
  expect(index(0.5, 15 * 24)).toBe(1)
  expect(index(1, 60 * 24)).toBe(1)
})

test('is absent in the first day, when it is too early to say, and then goes by the time that has passed', () => {
  expect(index(0.000_01, 0.01)).toBeUndefined()
  expect(index(1 / 30, 23.9)).toBeUndefined()
  expect(index(1 / 30, 24)).toBe(1)
  expect(index(1 / 30, 48)).toBe(0.5)
})

test('a short flight is judged from a tenth of it on', () => {
  const short = plan({ start_time: START, end_time: '2026-04-01T10:00:00Z' }).packages[0]!
  const spent = (hours: number) =>
    pacingIndex(short, { spendMicros: (short.terms.budgetMicros * hours) / 10, impressions: 0 }, at(hours))
  expect(spent(0.5)).toBeUndefined()
  expect([spent(1), spent(1.1), spent(5)]).toEqual([1, 1, 1])
})

test('of a flat price goes by what was planned to be shown: the price is earned whatever is delivered', () => {
  const terms = { ...pkg!.terms, rateMicros: budget }
  const plain = { pricing: { ...pkg!.pricing, model: 'flat_rate' as const }, terms }
  const flat = { ...plain, terms: { ...terms, impressions: 15_000 } }
  expect(pacingIndex(flat, { spendMicros: budget, impressions: 15 }, at(30 * 24))).toBe(0.001)
  expect(pacingIndex(flat, { spendMicros: budget, impressions: 15_000 }, at(30 * 24))).toBe(1)
  expect(pacingIndex(plain, { spendMicros: budget, impressions: 15 }, at(30 * 24))).toBe(1)
})

test('is absent before the start', () => {
  expect(index(0.1, 0)).toBeUndefined()
})

test('is not 0 while something is delivered', () => {
  expect(index(0.000_01, 10 * 24)).toBe(0.00003)
  expect(index(0, 10 * 24)).toBe(0)
})
