import { expect, test } from 'vitest'
import { limitOn, withinDays } from '../../../src/ad-serving/embedded/day-limits.ts'
import type { DeliveryRow } from '../../../src/domain/ad-serving/delivery-row.ts'
import { NOTHING } from '../../../src/domain/media-buy/delivery.ts'

const row = (lineExternalId: string, period: string, spendMicros: number): DeliveryRow => ({
  ...NOTHING,
  lineExternalId,
  creativeExternalId: 'ad',
  period,
  impressions: 10,
  spendMicros,
})

test('of a day counts the largest limit that was in force on it', () => {
  const limits = [
    { from: '2026-03-02T10:00:00.000Z', ownMicros: 50 },
    { from: '2026-03-04T10:00:00.000Z', ownMicros: 20 },
    { from: '2026-03-06T10:00:00.000Z' },
    { from: '2026-03-08T10:00:00.000Z', ownMicros: 30 },
  ]
  const days = ['02', '03', '04', '05', '06', '07', '08', '09']
  expect(days.map((day) => limitOn(limits, `2026-03-${day}`, 'ownMicros'))).toEqual([
    ...[50, 50, 50, 20],
    ...[Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 30],
  ])
  expect(limitOn(limits, '2026-03-03', 'sharedMicros')).toBe(Number.POSITIVE_INFINITY)
})

test('what was shown beyond the limit of a day is reported and not charged, over lines too', () => {
  const limits = [{ from: '2026-03-01T00:00:00.000Z', sharedMicros: 100 }]
  const rows = [
    row('a', '2026-03-02T01', 60),
    row('a', '2026-03-02T03', 60),
    row('a', '2026-03-03T01', 90),
    row('b', '2026-03-02T02', 30),
    row('b', '2026-03-02T04', 30),
  ]
  const charged = withinDays(rows, limits, 'sharedMicros')
  expect(charged.map(({ spendMicros }) => spendMicros)).toEqual([60, 10, 90, 30, 0])
  expect(charged.map(({ impressions }) => impressions)).toEqual([10, 10, 10, 10, 10])
})
