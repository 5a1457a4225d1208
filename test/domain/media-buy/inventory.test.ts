import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/domain/calendar/instant.ts'
import { openHoursOf, WEEK } from '../../../src/domain/calendar/open-week.ts'
import { daysIn, firstDayOf, periodsAround, periodsBetween, spanOf } from '../../../src/domain/media-buy/calendar-period.ts'
import { dayText } from '../../../src/domain/media-buy/flight.ts'
import { HeldInventory } from '../../../src/domain/media-buy/held-inventory.ts'
import {
  requireCapacity,
  reservationChanges,
  reservationSteps,
  rowsToWrite,
  sharesOf,
} from '../../../src/domain/media-buy/inventory.ts'

const FIRST = Date.UTC(2026, 0, 1) / DAY_MS

/** Days since 1970, some decades from 2026 on. */
const span = fc
  .tuple(fc.integer({ min: FIRST, max: FIRST + 30_000 }), fc.integer({ min: 0, max: 40_000 }))
  .map(([first, length]) => ({ first, last: first + length }))

const flight = (startsAt: string, endsAt: string) => ({ startsAt: `${startsAt}.000Z`, endsAt: `${endsAt}.000Z` })

describe('periods of the calendar', () => {
  it.each([
    ['2026-03-14', 1],
    ['2026-02', 28],
    ['2028-02', 29],
    ['2026', 365],
    ['20', 36_525],
    ['21', 36_524],
  ])('%s has %i days', (period, days) => expect(daysIn(period)).toBe(days))

  it('make up any range of days, each day once, in few', () => {
    fc.assert(
      fc.property(span, ({ first, last }) => {
        const periods = periodsBetween(first, last)
        let day = first
        for (const period of periods) {
          expect(firstDayOf(period)).toBe(day)
          day += daysIn(period)
        }
        expect(day).toBe(last + 1)
        expect(periods.length).toBeLessThan(2 * (31 + 12 + 100))
        expect(spanOf(periods)).toEqual({ first: dayText(first), last: dayText(last) })
      }),
    )
  })

  it('of the longest flight that can be written are few hundred', () => {
    expect(sharesOf(1e9, flight('2026-11-22T10:00:00', '9999-12-31T23:59:59')).length).toBeLessThan(350)
  })
})

describe('what a booking holds', () => {
  it('is exact for up to a month', () => {
    for (const end of ['2026-03-02T07:00:00', '2026-03-30T12:00:00', '2026-04-01T06:00:00']) {
      const shares = sharesOf(1_000_003, flight('2026-03-02T06:00:00', end))
      expect(shares.reduce((sum, { impressions }) => sum + impressions, 0)).toBe(1_000_003)
    }
  })

  it('is an even spread beyond it, less on days that the flight covers in part', () => {
    const shares = sharesOf(404 * 100, flight('2026-03-02T06:00:00', '2027-04-10T06:00:00'))
    expect([shares[0], shares.at(-1)]).toEqual([
      { period: '2026-03-02', impressions: 75 },
      { period: '2027-04-10', impressions: 25 },
    ])
    expect(new Set(shares.slice(1, -1).map(({ impressions }) => impressions))).toEqual(new Set([100]))
    expect(shares.length).toBeLessThan(60)
  })

  it('of many packages is summed in steps of one package each', () => {
    const holdings = Array.from({ length: 200 }, (_, index) => ({
      productId: `p${index % 3}`,
      reservedImpressions: 1_000 + index,
      terms: { startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2027-02-28T00:00:00.000Z' },
      openWeek: '01'.repeat(84),
    }))
    const steps = reservationSteps(holdings.slice(0, 50), holdings)
    let count = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) {
        expect(step.value).toEqual(reservationChanges([], holdings.slice(50)))
        break
      }
      count++
    }
    expect(count).toBe(250)
  })

  it('never falls short', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), span, fc.integer({ min: 0, max: DAY_MS - 1 }), (impressions, days, ms) => {
        const startsAt = new Date(days.first * DAY_MS + ms).toISOString()
        const endsAt = new Date((days.last + 1) * DAY_MS + 1).toISOString()
        const held = sharesOf(impressions, { startsAt, endsAt }).reduce(
          (sum, one) => sum + one.impressions * daysIn(one.period),
          0,
        )
        expect(held).toBeGreaterThanOrEqual(impressions)
        expect(held - impressions).toBeLessThanOrEqual(days.last - days.first + 3)
      }),
    )
  })
})

describe('open hours of a week', () => {
  it('are those that some daypart names', () => {
    const daypart = fc.record({
      days: fc.subarray([...WEEK], { minLength: 1 }),
      start_hour: fc.integer({ min: 0, max: 23 }),
      end_hour: fc.integer({ min: 1, max: 24 }),
    })
    fc.assert(
      fc.property(fc.array(daypart, { maxLength: 8 }), (dayparts) => {
        const named = WEEK.flatMap((day) =>
          Array.from({ length: 24 }, (_, hour) =>
            dayparts.some(({ days, start_hour, end_hour }) => days.includes(day) && hour >= start_hour && hour < end_hour),
          ),
        )
        expect(openHoursOf(dayparts)).toEqual(named)
      }),
    )
  })
})

describe('held inventory', () => {
  it('is the same as counting each day', () => {
    const bookings = fc.array(fc.tuple(span, fc.integer({ min: 1, max: 9 })), { maxLength: 5 })
    fc.assert(
      fc.property(bookings, span, fc.integer({ min: 1, max: 30 }), (all, asked, capacity) => {
        const held = new Map<string, number>()
        for (const [{ first, last }, daily] of all)
          for (const period of periodsBetween(first, last)) held.set(period, (held.get(period) ?? 0) + daily)
        const inventory = new HeldInventory(held)
        const on = (day: number) =>
          all.reduce((sum, [{ first, last }, daily]) => (day >= first && day <= last ? sum + daily : sum), 0)
        const days = Array.from({ length: asked.last - asked.first + 1 }, (_each, index) => on(asked.first + index))
        const periods = periodsBetween(asked.first, asked.last)
        expect(Math.max(...periods.map((period) => inventory.mostIn(period)))).toBe(days.reduce((a, b) => Math.max(a, b), 0))
        expect(periods.reduce((sum, period) => sum + inventory.leftIn(period, capacity), 0)).toBe(
          days.reduce((sum, load) => sum + Math.max(0, capacity - load), 0),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('names the days that are too full, and how much fits', () => {
    const held = new HeldInventory(new Map([...['2026', '2026-03'].map((each) => [each, 40] as const), ['2026-03-05', 21]]))
    const changes = ['2026-03-04', '2026-03-05'].map((period) => ({ period, delta: 1 }))
    expect(() => requireCapacity('home', 101, { changes, held }, 'packages[0]')).not.toThrow()
    expect(() => requireCapacity('home', 100, { changes, held }, 'packages[0]')).toThrowError(
      expect.objectContaining({
        code: 'PRODUCT_UNAVAILABLE',
        message: expect.stringContaining('2026-03-05; nothing'),
        details: {
          ...{ product_id: 'home', requested_impressions: 2, fitting_impressions: 0 },
          ...{ short_days: ['2026-03-05'], full_days: ['2026-03-05'] },
        },
      }),
    )
    const more = ['2026-03-04', '2026-03-05'].map((period) => ({ period, delta: 40 }))
    // 2026-03-04 has 60 left of 100, 2026-03-05 has 39: too little for 40, and not full.
    expect(() => requireCapacity('home', 100, { changes: more, held }, 'packages[0]')).toThrowError(
      expect.objectContaining({
        details: expect.not.objectContaining({ full_days: expect.anything() }),
      }),
    )
    const smaller = changes.map((each) => ({ ...each, delta: -1 }))
    expect(() => requireCapacity('home', 1, { changes: smaller, held }, 'packages[0]')).not.toThrow()
  })

  it('is written with the periods around it, in one order', () => {
    const rows = rowsToWrite([{ period: '2026', delta: 5 }, ...['2027-01', '2027-02-01'].map((period) => ({ period, delta: 2 }))])
    expect(rows.map(({ period, delta }) => [period, delta])).toEqual([
      ['20', 0],
      ['2026', 5],
      ['2027', 0],
      ['2027-01', 2],
      ['2027-02', 0],
      ['2027-02-01', 2],
    ])
    expect(periodsAround('2026-03-14')).toEqual(['20', '2026', '2026-03'])
  })
})
