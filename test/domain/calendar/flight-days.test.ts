import { describe, expect, it } from 'vitest'
import { endOfLastDay, flightDaysOf, flightDaysText } from '../../../src/domain/calendar/flight-days.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'

const text = (startsAt: string, endsAt: string, zone: string) =>
  flightDaysText(flightDaysOf({ startsAt, endsAt }, localCalendar(zone)))

describe('the days of a flight', () => {
  it.each([
    // An end at midnight is the end of the day before, on both sides of a change of the clocks.
    ['2026-11-23T23:00:00.000Z', '2026-11-30T23:00:00.000Z', 'Europe/Berlin', '2026-11-24 – 2026-11-30'],
    ['2026-11-24T00:00:00.000Z', '2026-12-01T00:00:00.000Z', 'UTC', '2026-11-24 – 2026-11-30'],
    ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 'Europe/Berlin', '2026-03-29'],
    // The last second of a day is its end.
    ['2026-11-24T00:00:00.000Z', '2026-11-30T23:59:59.000Z', 'UTC', '2026-11-24 – 2026-11-30'],
    // Hours are said where the flight has them.
    ['2026-03-02T09:30:00.000Z', '2026-03-12T18:00:00.000Z', 'UTC', '2026-03-02 09:30 – 2026-03-12 18:00'],
    ['2026-11-24T00:00:00.000Z', '2026-12-01T00:00:00.000Z', 'Europe/Berlin', '2026-11-24 01:00 – 2026-12-01 01:00'],
    // Stored before ends were bounded.
    ['2026-03-02T00:00:00.000Z', '9999-12-31T23:59:59.000Z', 'UTC', '2026-03-02 – 9999-12-31'],
    ['2026-03-02T09:00:00.000Z', '2026-03-02T18:00:00.000Z', 'UTC', '2026-03-02 09:00 – 2026-03-02 18:00'],
  ])('%s to %s in %s are %s', (startsAt, endsAt, zone, shown) => expect(text(startsAt, endsAt, zone)).toBe(shown))

  it('end where their last day ends, whatever the clocks do', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Santiago', 'Pacific/Apia', 'Asia/Kathmandu'])
      for (const day of ['2026-03-28', '2026-03-29', '2026-09-05', '2026-10-25', '2026-12-31']) {
        const calendar = localCalendar(zone)
        const endsAt = endOfLastDay(day, calendar).toISOString()
        expect([zone, flightDaysOf({ startsAt: '2026-01-01T00:00:00.000Z', endsAt }, calendar).last]).toEqual([
          zone,
          { day, time: null },
        ])
      }
  })
})
