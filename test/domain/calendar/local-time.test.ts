import { describe, expect, it } from 'vitest'
import { isTimeZone, localDay, localMonth, nextDay, startOfLocalDay } from '../../../src/domain/calendar/local-time.ts'

describe('days and months of a time zone', () => {
  it('are those of its clocks', () => {
    const at = new Date('2026-03-31T22:30:00Z')
    expect(localDay(at, 'UTC')).toBe('2026-03-31')
    expect(localDay(at, 'Europe/Berlin')).toBe('2026-04-01')
    expect(localMonth(at, 'Europe/Berlin')).toBe('2026-04')
    expect(localMonth(at, 'America/New_York')).toBe('2026-03')
  })

  it.each([
    ['2026-07-01', 'UTC', '2026-07-01T00:00:00.000Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
    ['2026-01-15', 'America/Los_Angeles', '2026-01-15T08:00:00.000Z'],
    ['2026-01-15', 'Pacific/Kiritimati', '2026-01-14T10:00:00.000Z'],
    ['2026-01-15', 'Asia/Kathmandu', '2026-01-14T18:15:00.000Z'],
    // The day on which clocks change, and the one after it.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // Clocks go forward at midnight: the day begins at 01:00.
    ['2023-04-28', 'Africa/Cairo', '2023-04-27T22:00:00.000Z'],
    // Clocks go back at midnight: 00:00 comes once, 23:00 twice.
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  ])('%s begins in %s at %s', (day, timeZone, moment) => {
    expect(startOfLocalDay(day, timeZone).toISOString()).toBe(moment)
  })

  it('follow one another without a gap all year', () => {
    for (const timeZone of ['Europe/Berlin', 'America/Santiago']) {
      let day = '2026-01-01'
      for (let count = 0; count < 365; count++) {
        const start = startOfLocalDay(day, timeZone)
        expect(localDay(start, timeZone)).toBe(day)
        expect(localDay(new Date(start.getTime() - 1), timeZone) < day).toBe(true)
        day = nextDay(day)
      }
    }
  })

  it('are asked for by days and zones that exist', () => {
    expect(() => startOfLocalDay('2026-13-01', 'UTC')).toThrow(RangeError)
    expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', '+02:00', ''].map(isTimeZone)).toEqual([true, true, false, false, false])
  })
})
