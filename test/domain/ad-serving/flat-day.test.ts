import { expect, test } from 'vitest'
import { dayPriceMicros, flatDayMicros } from '../../../src/domain/ad-serving/charged.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'

const LINE = {
  startsAt: '2026-07-01T06:00:00.000Z',
  endsAt: '2026-07-04T00:00:00.000Z',
  price: { model: 'flat_rate' as const, basis: 'fixed' as const, rateMicros: 100_010_000 },
}
const cost = (day: string, now = '2026-08-01T00:00:00Z') =>
  flatDayMicros(LINE, day, { calendar: localCalendar('UTC'), now: new Date(now) })

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

test('reported days are those of the publisher by their names: October has twelve of sixteen, and all of them are the price', () => {
  const line = {
    ...LINE,
    startsAt: '2026-10-19T22:00:00.000Z',
    endsAt: '2026-11-04T23:00:00.000Z',
    price: { rateMicros: 160_000_000 },
  }
  const reported = Array.from({ length: 20 }, (_, at) => new Date(Date.UTC(2026, 9, 18 + at)).toISOString().slice(0, 10))
  const zone = { calendar: localCalendar('Europe/Stockholm'), now: new Date('2027-01-01') }
  const costs = reported.map((day) => flatDayMicros(line, day, zone))
  expect(costs.filter((cost) => cost !== 0)).toEqual(Array.from({ length: 16 }, () => 10_000_000))
  const october = reported.flatMap((day, at) => (day.startsWith('2026-10') ? [costs[at] ?? 0] : []))
  expect(october.reduce((sum, each) => sum + each, 0)).toBe(120_000_000)
  const half = { ...zone, now: new Date('2026-10-25T11:30:00Z') }
  expect([flatDayMicros(line, '2026-10-25', half), flatDayMicros(line, '2026-10-26', half)]).toEqual([5_400_000, 0])
})

/** What the reported days of a line at 10 a day cost, those that cost nothing left out. */
function days(timeZone: string, startsAt: string, endsAt: string, now = '2027-01-01T00:00:00Z') {
  const line = { dayRateMicros: 10_000_000, flight: { startsAt, endsAt } }
  const zone = { calendar: localCalendar(timeZone), now: new Date(now) }
  const from = Date.parse(`${startsAt.slice(0, 10)}T00:00:00Z`)
  const reported = Array.from({ length: 20 }, (_, at) => new Date(from + (at - 2) * 86_400_000).toISOString().slice(0, 10))
  const costs = reported.map((day) => [day, dayPriceMicros(line, day, zone) / 1_000_000] as const)
  return Object.fromEntries(costs.filter(([, cost]) => cost !== 0))
}

test('a price by the day costs whole days of the calendar, also where the clocks change: October has eight of fourteen', () => {
  const costs = days('Europe/Stockholm', '2026-10-23T22:00:00Z', '2026-11-06T23:00:00Z')
  expect(Object.keys(costs)).toEqual([
    ...[24, 25, 26, 27, 28, 29, 30, 31].map((day) => `2026-10-${day}`),
    ...[1, 2, 3, 4, 5, 6].map((day) => `2026-11-0${day}`),
  ])
  expect(new Set(Object.values(costs))).toEqual(new Set([10]))
})

test('west of UTC the last reported day has no day of its own', () => {
  expect(days('America/New_York', '2026-10-30T04:00:00Z', '2026-11-03T05:00:00Z')).toEqual({
    ...{ '2026-10-30': 10, '2026-10-31': 10, '2026-11-01': 10, '2026-11-02': 10 },
  })
})

test('days that a flight has in part are days, and are in the first and the last report', () => {
  expect(days('America/New_York', '2026-03-02T00:00:00Z', '2026-03-04T00:00:00Z')).toEqual({ '2026-03-02': 20, '2026-03-03': 10 })
  expect(days('Asia/Kolkata', '2026-03-02T00:00:00Z', '2026-03-04T00:00:00Z')).toEqual({ '2026-03-02': 10, '2026-03-03': 20 })
})

test('of a day of the calendar that is not over, the part that is', () => {
  expect(days('Europe/Stockholm', '2026-10-23T22:00:00Z', '2026-11-06T23:00:00Z', '2026-10-25T04:00:00Z')).toEqual({
    ...{ '2026-10-24': 10, '2026-10-25': 2.4 },
  })
})
