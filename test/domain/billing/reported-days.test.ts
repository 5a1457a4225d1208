import { expect, it } from 'vitest'
import { reportedDays } from '../../../src/domain/billing/reported-days.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'

it('days (UTC) that overlap a month of a zone, and those that a month beside has a part of', () => {
  const days = (zone: string) => reportedDays('2026-12', localCalendar(zone))
  expect(days('UTC')).toEqual({ first: '2026-12-01', last: '2026-12-31', shared: [] })
  const [before, after] = [
    { day: '2026-11-30', month: '2026-11' },
    { day: '2026-12-31', month: '2027-01' },
  ]
  expect(days('Europe/Stockholm')).toEqual({ first: '2026-11-30', last: '2026-12-31', shared: [before, after] })
  expect(days('America/New_York')).toEqual({
    ...{ first: '2026-12-01', last: '2027-01-01' },
    shared: [
      { day: '2026-12-01', month: '2026-11' },
      { day: '2027-01-01', month: '2027-01' },
    ],
  })
})
