import { describe, expect, it } from 'vitest'
import type { BookedLine } from '../../../src/ad-serving/ad-server.ts'
import { deliveryByDay } from '../../../src/ad-serving/house/delivery-report.ts'
import type { OrderTerms, PricingModel } from '../../../src/domain/media-buy/media-buy.ts'

const TERMS: OrderTerms = {
  from: '2026-03-01T00:00:00.000Z',
  startsAt: '2026-03-02T00:00:00.000Z',
  endsAt: '2026-03-04T00:00:00.000Z',
  budgetMicros: 100_000_000,
  rateMicros: 12_340_000,
  pacing: 'even',
  running: true,
}

function booked(model: PricingModel, terms: Partial<OrderTerms> = {}): BookedLine {
  const pricing = { pricingOptionId: 'p', model, basis: 'fixed' as const, currency: 'USD', maxBid: false }
  return { packageId: 'pkg', lineId: 'line', pricing, channels: [], terms: [{ ...TERMS, ...terms }], serving: [], recorded: [] }
}

const hour = (at: string, kind: string, events: number, rateMicros = TERMS.rateMicros) => ({
  hour: `2026-03-0${at}:00:00.000Z`,
  kind,
  rateMicros,
  events,
})
const NOW = Date.parse('2026-03-03T12:00:00Z')

describe('delivery of the embedded ad server', () => {
  it('charges impressions at the price of their decision, and days add up to the whole', () => {
    const hours = [
      hour('2T10', 'impression', 999),
      hour('2T10', 'click', 3),
      hour('3T01', 'impression', 2),
      hour('3T02', 'impression', 500, 10_000_000),
    ]
    const days = deliveryByDay(booked('cpm'), hours, NOW)
    // 999 × 0.01234 = 12.32766; 1001 × 0.01234 + 500 × 0.01 = 17.35234: whole cents, cut off.
    expect(days.map(({ day, impressions, clicks, spendMicros }) => [day, impressions, clicks, spendMicros])).toEqual([
      ['2026-03-02', 999, 3, 12_320_000],
      ['2026-03-03', 502, 0, 5_030_000],
    ])
  })

  it('charges no more than the order commits to', () => {
    const [day] = deliveryByDay(booked('cpm', { impressions: 1000 }), [hour('2T10', 'impression', 1100)], NOW)
    expect(day).toMatchObject({ impressions: 1100, spendMicros: 12_340_000 })
  })

  it('charges clicks, views, completions and viewable impressions for what they are', () => {
    const hours = [
      hour('2T10', 'impression', 1000),
      hour('2T10', 'viewable', 700),
      hour('2T10', 'click', 2),
      hour('2T10', 'midpoint', 5),
      hour('2T10', 'complete', 4),
    ]
    const spend = (model: PricingModel, rateMicros: number) =>
      deliveryByDay(
        booked(model),
        hours.map((each) => ({ ...each, rateMicros })),
        NOW,
      )[0]?.spendMicros
    expect(spend('cpc', 1_000_000)).toBe(2_000_000)
    expect(spend('cpv', 1_000_000)).toBe(5_000_000)
    expect(spend('cpcv', 1_000_000)).toBe(4_000_000)
    expect(spend('vcpm', 10_000_000)).toBe(7_000_000)
    expect(deliveryByDay(booked('cpc'), hours, NOW)[0]).toMatchObject({
      views: 5,
      completedViews: 4,
      viewableImpressions: 700,
      clicks: 2,
    })
  })

  it('charges a flat rate evenly over the flight once something was shown', () => {
    const line = booked('flat_rate', { rateMicros: 100_000_000 })
    expect(deliveryByDay(line, [], NOW)).toEqual([])
    const days = deliveryByDay(line, [hour('2T10', 'impression', 7)], NOW)
    expect(days.map(({ spendMicros }) => spendMicros)).toEqual([50_000_000, 25_000_000])
  })
})
