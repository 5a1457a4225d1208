import { expect, test } from 'vitest'
import { nextDigest } from '../../../src/domain/notification/notification.ts'

test.each([
  ['in winter', '2026-01-10T03:00:00Z', 7, 'Europe/Berlin', '2026-01-10T06:00:00.000Z'],
  ['in summer', '2026-07-10T03:00:00Z', 7, 'Europe/Berlin', '2026-07-10T05:00:00.000Z'],
  ['tomorrow, when the hour is over', '2026-07-10T05:00:00Z', 7, 'Europe/Berlin', '2026-07-11T05:00:00.000Z'],
  ['on the day of the zone, not of UTC', '2026-01-10T21:00:00Z', 7, 'Asia/Tokyo', '2026-01-10T22:00:00.000Z'],
  ['on the day on which the clocks go forward', '2026-03-28T12:00:00Z', 7, 'Europe/Berlin', '2026-03-29T05:00:00.000Z'],
  ['at an hour that the clocks skip', '2026-03-28T12:00:00Z', 2, 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['on the day on which the clocks go back', '2026-10-24T12:00:00Z', 7, 'Europe/Berlin', '2026-10-25T06:00:00.000Z'],
  ['without a zone of its own', '2026-01-10T03:00:00Z', 7, 'UTC', '2026-01-10T07:00:00.000Z'],
])('the daily message comes at its hour of the time zone: %s', (_when, now, hour, zone, expected) => {
  const at = new Date(now)
  const next = nextDigest(at, hour, zone)
  expect(next.toISOString()).toBe(expected)
  expect(next > at).toBe(true)
  expect(next.getTime() - at.getTime()).toBeLessThanOrEqual(25 * 3_600_000)
})
