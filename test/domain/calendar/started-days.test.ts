import { describe, expect, it } from 'vitest'
import { settingsOfDirectLine } from '../../../src/ad-serving/embedded/direct-order.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'
import { startedDays, timeUnits } from '../../../src/domain/calendar/time-units.ts'
import { flightPriceMicros, pricingOf } from '../../../src/domain/media-buy/pricing.ts'

const STOCKHOLM = localCalendar('Europe/Stockholm')
/** From the midnight of one day of Stockholm to that of another. */
const flight = (first: string, end: string) => ({
  startsAt: STOCKHOLM.startOf(first).toISOString(),
  endsAt: STOCKHOLM.startOf(end).toISOString(),
})
const pricing = pricingOf(
  {
    ...{ pricing_option_id: 'day', pricing_model: 'time', currency: 'SEK', fixed_price: 4321.09 },
    parameters: { time_unit: 'day' },
  },
  'pricing',
)

describe('days of a price by the day', () => {
  it.each([
    ['over the autumn change', flight('2026-10-20', '2026-11-05'), 16],
    ['over the spring change', flight('2026-03-20', '2026-04-05'), 16],
    ['the day of 25 hours', flight('2026-10-25', '2026-10-26'), 1],
    ['the day of 23 hours', flight('2026-03-29', '2026-03-30'), 1],
    ['from noon to noon', { startsAt: '2026-10-20T10:00:00Z', endsAt: '2026-11-05T11:00:00Z' }, 16],
    ['a day that has begun', { startsAt: '2026-05-01T10:00:00Z', endsAt: '2026-05-03T14:00:00Z' }, 3],
    ['an hour', { startsAt: '2026-05-01T10:00:00Z', endsAt: '2026-05-01T11:00:00Z' }, 1],
  ])('%s', (_name, { startsAt, endsAt }, days) => {
    expect(startedDays({ startsAt, endsAt })).toBe(days)
    expect(timeUnits('week', { startsAt, endsAt })).toBe(Math.ceil(days / 7))
    // One price for an order of a buyer and for one that people enter.
    expect(flightPriceMicros(pricing, { startsAt, endsAt, rateMicros: 4_321_090_000 })).toBe(days * 4_321_090_000)
    const line = { line_id: 'l', product_id: 'p', starts_at: startsAt, ends_at: endsAt, price_model: 'per_day' as const }
    const { price } = settingsOfDirectLine({ ...line, rate: 4321.09, creatives: [] })
    expect(price.rateMicros).toBe(days * 4_321_090_000)
  })
})

describe('months of a price by the month', () => {
  const zone = { timeZone: 'Europe/Stockholm' }
  const months = (startsAt: string, endsAt: string, timeZone?: string) => timeUnits('month', { startsAt, endsAt, timeZone })
  it('are those of the publisher: March in Stockholm is one, with its change of clocks', () => {
    expect(timeUnits('month', { ...flight('2026-03-01', '2026-04-01'), ...zone })).toBe(1)
    expect(timeUnits('month', flight('2026-03-01', '2026-04-01'))).toBe(2)
    for (const [first, end, count] of [
      ['2026-01-01', '2027-01-01', 12],
      ['2026-10-01', '2026-11-01', 1],
      ['2026-03-01', '2026-04-02', 2],
      ['2026-03-15', '2026-04-15', 1],
      ['2026-03-15', '2026-04-16', 2],
      ['2026-03-30', '2026-03-31', 1],
    ] as const)
      expect(timeUnits('month', { ...flight(first, end), ...zone }), `${first} to ${end}`).toBe(count)
  })
  it('or of UTC, where these are fewer: dates of proposals are', () => {
    expect(months('2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z', 'America/New_York')).toBe(1)
    expect(months('2026-03-01T05:00:00Z', '2026-04-01T04:00:00Z', 'America/New_York')).toBe(1)
    expect(months('2026-03-01T05:00:00Z', '2026-04-02T04:00:00Z', 'America/New_York')).toBe(2)
  })
  it('have an hour left over, from noon to noon too', () => {
    expect(months('2026-09-25T10:00:00Z', '2026-10-25T11:00:00Z', 'Europe/Stockholm')).toBe(1)
    expect(months('2026-09-25T10:00:00Z', '2026-10-25T13:00:00Z', 'Europe/Stockholm')).toBe(2)
  })
  it('of an order that was placed before are those of UTC', () => {
    const { time } = pricingOf(
      {
        ...{ pricing_option_id: 'm', pricing_model: 'time', currency: 'SEK', fixed_price: 5 },
        parameters: { time_unit: 'month' },
      },
      'pricing',
      'Europe/Stockholm',
    )
    expect(time).toEqual({ unit: 'month', timeZone: 'Europe/Stockholm' })
    const terms = { ...flight('2026-03-01', '2026-04-01'), rateMicros: 5_000_000 }
    expect(flightPriceMicros({ ...pricing, time: { unit: 'month' } }, terms)).toBe(10_000_000)
    expect(flightPriceMicros({ ...pricing, time: { unit: 'month', timeZone: 'Europe/Stockholm' } }, terms)).toBe(5_000_000)
  })
})
