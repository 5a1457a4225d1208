import { expect, test } from 'vitest'
import { flatDayMicros } from '../../../src/domain/ad-serving/charged.ts'

const LINE = {
  startsAt: '2026-07-01T06:00:00.000Z',
  endsAt: '2026-07-04T00:00:00.000Z',
  price: { model: 'flat_rate' as const, basis: 'fixed' as const, rateMicros: 100_010_000 },
}
const cost = (day: string, now = '2026-08-01T00:00:00Z') => flatDayMicros(LINE, day, new Date(now))

test('days of a flat price add up to it, to the micro, by how much of each lies in the flight', () => {
  const days = ['2026-06-30', '2026-07-01', '2026-07-02', '2026-07-03', '2026-07-04'].map((day) => cost(day))
  expect(days).toEqual([0, 27_275_454, 36_367_273, 36_367_273, 0])
  expect(days.reduce((sum, each) => sum + each, 0)).toBe(LINE.price.rateMicros)
})

test('a day that is not over costs what has passed of it', () => {
  expect(cost('2026-07-01', '2026-07-01T12:00:00Z')).toBe(9_091_818)
  expect(cost('2026-07-02', '2026-07-01T12:00:00Z')).toBe(0)
  expect(cost('2026-07-01', '2026-06-01T00:00:00Z')).toBe(0)
})
