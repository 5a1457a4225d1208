import { expect, it } from 'vitest'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { movedFlights } from '../../../src/domain/calendar/moved-flights.ts'

const STOCKHOLM = localCalendar('Europe/Stockholm')
const moved = (startsAt: string, endsAt: string, first: string) => {
  const [flight] = movedFlights([{ startsAt, endsAt }], first, STOCKHOLM)
  return [flight?.startsAt, flight?.endsAt]
}

it('whole days stay whole days, as many as they were, also over a clock change', () => {
  // Monday to Sunday; the clocks go back on 25 October.
  const [startsAt, endsAt] = ['2026-03-01T23:00:00.000Z', '2026-03-08T23:00:00.000Z']
  expect(moved(startsAt, endsAt, '2026-10-19')).toEqual(['2026-10-18T22:00:00.000Z', '2026-10-25T23:00:00.000Z'])
})

it('a flight of hours begins and ends at its times of day, and is no longer than it was', () => {
  // From 19:00 on 1 March to 22:00 on 11 March.
  const [startsAt, endsAt] = ['2026-03-01T18:00:00.000Z', '2026-03-11T21:00:00.000Z']
  expect(moved(startsAt, endsAt, '2026-05-04')).toEqual(['2026-05-04T17:00:00.000Z', '2026-05-14T20:00:00.000Z'])
  expect(moved(startsAt, endsAt, '2026-10-15')).toEqual(['2026-10-15T17:00:00.000Z', '2026-10-25T21:00:00.000Z'])
  // On the day of the change itself.
  expect(moved('2026-03-01T08:00:00.000Z', '2026-03-01T09:30:00.000Z', '2026-03-29')).toEqual([
    '2026-03-29T07:00:00.000Z',
    '2026-03-29T08:30:00.000Z',
  ])
})

it('flights move together, and stay where the first begins on that day already', () => {
  const flights = [
    { startsAt: '2026-03-02T23:00:00.000Z', endsAt: '2026-03-03T23:00:00.000Z' },
    { startsAt: '2026-03-01T23:00:00.000Z', endsAt: '2026-03-02T23:00:00.000Z' },
  ]
  expect(movedFlights(flights, '2026-03-02', STOCKHOLM)).toBe(flights)
  expect(movedFlights(flights, '2026-03-09', STOCKHOLM).map(({ startsAt }) => startsAt)).toEqual([
    '2026-03-09T23:00:00.000Z',
    '2026-03-08T23:00:00.000Z',
  ])
})
