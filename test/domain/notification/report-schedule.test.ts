import { describe, expect, it } from 'vitest'
import { nextSending, type Repetition, reportedDays, sendingDue } from '../../../src/domain/notification/report-schedule.ts'

const ZONE = 'Europe/Berlin'
const daily: Repetition = { every: 'daily', weekday: 'monday', monthDay: 1, hour: 7 }
const weekly: Repetition = { ...daily, every: 'weekly', weekday: 'friday' }
const monthly: Repetition = { ...daily, every: 'monthly', monthDay: 28 }

const next = (after: string, repetition: Repetition, zone = ZONE) => nextSending(new Date(after), repetition, zone).toISOString()

describe('the next sending', () => {
  it.each([
    ['later today', '2026-03-02T05:59:59Z', daily, '2026-03-02T06:00:00.000Z'],
    ['not the moment itself', '2026-03-02T06:00:00Z', daily, '2026-03-03T06:00:00.000Z'],
    ['an hour earlier in UTC once summer time began', '2026-03-28T12:00:00Z', daily, '2026-03-29T05:00:00.000Z'],
    ['the hour after one that the clocks skip', '2026-03-28T12:00:00Z', { ...daily, hour: 2 }, '2026-03-29T01:00:00.000Z'],
    ['the weekday', '2026-03-02T00:00:00Z', weekly, '2026-03-06T06:00:00.000Z'],
    ['the day of the month after it', '2026-02-28T07:00:00Z', monthly, '2026-03-28T06:00:00.000Z'],
    ['the last month of a year', '2025-12-28T07:00:00Z', monthly, '2026-01-28T06:00:00.000Z'],
  ])('is %s', (_name, after, repetition, at) => {
    expect(next(after, repetition)).toBe(at)
  })

  it('is of the day of the zone, which may be another one than in UTC', () => {
    expect(next('2026-03-01T23:30:00Z', { ...daily, hour: 0 }, 'Pacific/Kiritimati')).toBe('2026-03-02T10:00:00.000Z')
    expect(next('2026-03-06T01:00:00Z', { ...weekly, hour: 23 }, 'America/Los_Angeles')).toBe('2026-03-07T07:00:00.000Z')
  })
})

describe('the sending that is made', () => {
  const due = (first: string, now: string, repetition: Repetition) =>
    sendingDue(new Date(first), new Date(now), repetition, ZONE).toISOString()

  it('is the one that is due, and after a long outage the seventh last', () => {
    expect(due('2026-03-02T06:00:00Z', '2026-03-02T06:00:00Z', daily)).toBe('2026-03-02T06:00:00.000Z')
    expect(due('2026-03-02T06:00:00Z', '2026-03-08T12:00:00Z', daily)).toBe('2026-03-02T06:00:00.000Z')
    expect(due('2026-03-02T06:00:00Z', '2026-03-09T06:00:00Z', daily)).toBe('2026-03-03T06:00:00.000Z')
    expect(due('2020-01-28T06:00:00Z', '2026-03-01T00:00:00Z', monthly)).toBe('2025-08-28T05:00:00.000Z')
  })

  it('stays the moment that was due when the zone or the hour was another one then', () => {
    expect(due('2026-03-02T10:00:00Z', '2026-03-02T11:00:00Z', daily)).toBe('2026-03-02T10:00:00.000Z')
  })
})

describe('the days of a report', () => {
  const at = new Date('2026-03-27T23:30:00Z')
  const days = (repetition: Repetition, covers: 'saved' | 'period', saved: object) =>
    Object.values(reportedDays(at, saved, { ...repetition, covers }, ZONE)).join(' ')

  it('end with the day before in the zone; fixed ones stay', () => {
    expect(days(daily, 'saved', { last_days: 1 })).toBe('2026-03-27 2026-03-27')
    expect(days(daily, 'saved', { last_days: 30 })).toBe('2026-02-26 2026-03-27')
    expect(days(daily, 'saved', { first: '2026-01-01', last: '2026-01-31' })).toBe('2026-01-01 2026-01-31')
  })

  it('are the period since the sending before, whatever was saved', () => {
    const fixed = { first: '2026-01-01', last: '2026-01-31' }
    expect(days(daily, 'period', fixed)).toBe('2026-03-27 2026-03-27')
    expect(days(weekly, 'period', fixed)).toBe('2026-03-21 2026-03-27')
    expect(days(monthly, 'period', fixed)).toBe('2026-02-28 2026-03-27')
    const inJanuary = new Date('2026-01-01T06:00:00Z')
    expect(reportedDays(inJanuary, {}, { ...monthly, monthDay: 1, covers: 'period' }, ZONE)).toEqual({
      first: '2025-12-01',
      last: '2025-12-31',
    })
  })
})
