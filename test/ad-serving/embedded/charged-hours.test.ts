import { describe, expect, it } from 'vitest'
import { type ChargedLine, type CountedHour, chargedHours } from '../../../src/ad-serving/embedded/charged-hours.ts'
import { localCalendar } from '../../../src/domain/calendar/local-time.ts'

const UTC = localCalendar('UTC')
const LINE: ChargedLine = {
  lineExternalId: 'pkg',
  model: 'cpm',
  committedMicros: 100_000_000,
  startsAt: '2026-03-02T00:00:00.000Z',
  endsAt: '2026-03-04T00:00:00.000Z',
}
const NOW = Date.parse('2026-03-03T12:00:00Z')

const hour = (at: string, kind: string, events: number, rateMicros = 12_340_000): CountedHour => ({
  hour: `2026-03-0${at}:00:00.000Z`,
  creativeExternalId: 'ad',
  kind,
  rateMicros,
  events,
})
const spend = (line: Partial<ChargedLine>, hours: CountedHour[], now = NOW) =>
  chargedHours({ ...LINE, ...line }, hours, { now, calendar: UTC }).map(({ spendMicros }) => spendMicros)

describe('charges of the embedded ad server', () => {
  it('are for impressions at the price of their decision, and rows add up to the whole', () => {
    const hours = [
      hour('2T10', 'impression', 999),
      hour('2T10', 'click', 3),
      hour('3T01', 'impression', 2),
      hour('3T02', 'impression', 500, 10_000_000),
    ]
    // 999 × 0.01234 = 12.32766; 1001 × 0.01234 = 12.35234; and 500 × 0.01 = 5: quantity × rate, to the micro.
    expect(chargedHours(LINE, hours, { now: NOW, calendar: UTC })).toMatchObject([
      { period: '2026-03-02T10', impressions: 999, clicks: 3, spendMicros: 12_327_660 },
      { period: '2026-03-03T01', impressions: 2, spendMicros: 24_680 },
      { period: '2026-03-03T02', impressions: 500, spendMicros: 5_000_000 },
    ])
  })

  it('end at what the line commits to; what was served beyond it is still reported', () => {
    const rows = chargedHours({ ...LINE, committedMicros: 12_340_000 }, [hour('2T10', 'impression', 1100)], {
      now: NOW,
      calendar: UTC,
    })
    expect(rows).toMatchObject([{ impressions: 1100, spendMicros: 12_340_000 }])
  })

  it('are for clicks, views, completions and viewable impressions where these are sold', () => {
    const hours = (rate: number) => [
      hour('2T10', 'impression', 1000, rate),
      hour('2T10', 'viewable', 700, rate),
      hour('2T10', 'click', 2, rate),
      hour('2T10', 'midpoint', 5, rate),
      hour('2T10', 'complete', 4, rate),
    ]
    expect(spend({ model: 'cpc' }, hours(1_000_000))).toEqual([2_000_000])
    expect(spend({ model: 'cpv' }, hours(1_000_000))).toEqual([5_000_000])
    expect(spend({ model: 'cpcv' }, hours(1_000_000))).toEqual([4_000_000])
    expect(spend({ model: 'vcpm' }, hours(10_000_000))).toEqual([7_000_000])
    expect(chargedHours(LINE, hours(1), { now: NOW, calendar: UTC })).toMatchObject([
      { views: 5, completedViews: 4, viewableImpressions: 700, clicks: 2 },
    ])
  })

  it('are a flat rate evenly over the flight once something was shown, in every hour of it, and all of it at the end', () => {
    const flat = { ...LINE, model: 'flat_rate' as const }
    const hours = [hour('2T11', 'impression', 7), hour('3T05', 'impression', 7)]
    const over = Date.parse('2026-03-05T00:00:00Z')
    const days = (line: ChargedLine, counted: CountedHour[], now = NOW) => {
      const sums = new Map<string, number>()
      for (const { period, spendMicros } of chargedHours(line, counted, { now, calendar: UTC }))
        sums.set(period.slice(8, 10), (sums.get(period.slice(8, 10)) ?? 0) + spendMicros)
      return Object.fromEntries(sums)
    }
    expect(days(flat, [])).toEqual({})
    expect(days(flat, hours)).toEqual({ '02': 50_000_000, '03': 25_000_000 })
    expect(days(flat, hours, over)).toEqual({ '02': 50_000_000, '03': 50_000_000 })
    expect(days(flat, hours.slice(0, 1), over)).toEqual({ '02': 50_000_000, '03': 50_000_000 })
    expect(chargedHours(flat, hours, { now: NOW, calendar: UTC }).slice(0, 2)).toMatchObject([
      { period: '2026-03-02T11', impressions: 7, spendMicros: 25_000_000 },
      { period: '2026-03-02T12', impressions: 0, spendMicros: 2_083_333 },
    ])
    // 3 days for 8,641.969: to the micro, and all of it at the end.
    const three = { ...flat, committedMicros: 8_641_969_000, endsAt: '2026-03-05T00:00:00.000Z' }
    expect(days(three, [hour('2T23', 'impression', 7)])).toEqual({ '02': 2_880_656_333, '03': 1_440_328_167 })
    const last = days(three, [hour('4T23', 'impression', 7)], Date.parse('2026-03-06T00:00:00Z'))
    expect(last).toEqual({ '04': 8_641_969_000 })
  })

  it('are of a flat rate until the line is ended, and no more after its flight is over', () => {
    const ended = { ...LINE, model: 'flat_rate' as const, endedAt: '2026-03-02T18:30:00.000Z' }
    for (const now of [NOW, Date.parse('2026-03-05T00:00:00Z')]) {
      const rows = chargedHours(ended, [hour('2T11', 'impression', 7)], { now, calendar: UTC })
      expect([rows.at(-1)?.period, rows.reduce((sum, row) => sum + row.spendMicros, 0)]).toEqual(['2026-03-02T18', 38_541_666])
    }
  })

  it('are a flat rate by days of the calendar of the publisher: the day of 25 hours, and that of 23, cost what a day costs', () => {
    const stockholm = localCalendar('Europe/Stockholm')
    for (const [first, end, change] of [
      ['2026-10-20', '2026-11-05', '2026-10-25'],
      ['2026-03-20', '2026-04-05', '2026-03-29'],
    ] as const) {
      const [startsAt, endsAt] = [stockholm.startOf(first), stockholm.startOf(end)].map((at) => at.toISOString())
      const line = {
        ...LINE,
        model: 'flat_rate' as const,
        committedMicros: 16_000_000,
        startsAt: startsAt ?? '',
        endsAt: endsAt ?? '',
      }
      const shown = { hour: line.startsAt, creativeExternalId: 'c', kind: 'impression', rateMicros: 0, events: 1 }
      const sums = new Map<string, number>()
      for (const { period, spendMicros } of chargedHours(line, [shown], { now: Date.parse(line.endsAt), calendar: stockholm })) {
        const day = stockholm.dayOf(new Date(`${period}:00:00Z`))
        sums.set(day, (sums.get(day) ?? 0) + spendMicros)
      }
      expect([...sums.values()]).toEqual(Array.from({ length: 16 }, () => 1_000_000))
      expect(sums.has(change)).toBe(true)
      // From noon to noon: half a day, 15 days, half a day.
      const noon = { ...line, startsAt: `${first}T12:00:00.000Z`, endsAt: `${end}T12:00:00.000Z` }
      const rows = chargedHours(noon, [{ ...shown, hour: noon.startsAt }], { now: Date.parse(noon.endsAt), calendar: stockholm })
      expect(rows.reduce((sum, { spendMicros }) => sum + spendMicros, 0)).toBe(16_000_000)
    }
  })

  it('are a flat rate by days of the publisher where days begin within an hour of UTC', () => {
    const kolkata = localCalendar('Asia/Kolkata')
    const [startsAt = '', endsAt = ''] = ['2026-03-30', '2026-04-02'].map((day) => kolkata.startOf(day).toISOString())
    const line = { ...LINE, model: 'flat_rate' as const, committedMicros: 3_000_000, startsAt, endsAt }
    const shown = { hour: '2026-03-29T18:00:00.000Z', creativeExternalId: 'c', kind: 'impression', rateMicros: 0, events: 1 }
    const rows = chargedHours(line, [shown], { now: Date.parse(endsAt), calendar: kolkata })
    const march = rows.filter(({ period }) => kolkata.dayOf(new Date(`${period}:00:00Z`)) < '2026-04-01')
    const sum = (some: typeof rows) => some.reduce((total, { spendMicros }) => total + spendMicros, 0)
    expect([sum(march), sum(rows)]).toEqual([2_000_000, 3_000_000])
  })
})
