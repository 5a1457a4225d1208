import { describe, expect, it } from 'vitest'
import type { RightsPrice } from '../../../src/domain/brand/brands-file.ts'
import { committedMicros, firstPeriodEnd } from '../../../src/domain/rights/commitment.ts'
import type { GrantAgreement } from '../../../src/domain/rights/grant.ts'

const price = (more: Partial<RightsPrice>): RightsPrice => ({
  pricing_option_id: 'p',
  model: 'flat_rate',
  price: 100,
  currency: 'USD',
  uses: ['likeness'],
  ...more,
})
const agreed = (
  more: Partial<RightsPrice>,
  startDate: string,
  endDate?: string,
  estimatedImpressions?: number,
): GrantAgreement => ({
  offering: { rights_id: 'r', brand_id: 'b', name: 'R' },
  price: price(more),
  buyerDomain: 'brand.example',
  description: 'x',
  uses: ['likeness'],
  startDate,
  ...(endDate !== undefined && { endDate }),
  ...(estimatedImpressions !== undefined && { estimatedImpressions }),
})

describe('what an agreement commits to', () => {
  it.each([
    ['one_time', '2026-01-01', '2026-12-31', 100],
    ['daily', '2026-01-01', '2026-01-01', 100],
    ['daily', '2026-01-01', '2026-01-10', 1000],
    ['weekly', '2026-01-01', '2026-01-07', 100],
    ['weekly', '2026-01-01', '2026-01-08', 200],
    ['monthly', '2026-01-15', '2026-02-14', 100],
    ['monthly', '2026-01-15', '2026-02-15', 200],
    ['monthly', '2026-01-31', '2026-02-27', 100],
    ['monthly', '2026-01-31', '2026-02-28', 200],
    ['monthly', '2026-01-31', '2026-03-30', 200],
    ['quarterly', '2026-04-01', '2026-06-30', 100],
    ['quarterly', '2026-04-01', '2026-07-01', 200],
    ['annual', '2024-02-29', '2025-02-27', 100],
    ['annual', '2026-01-01', '2027-12-31', 200],
  ] as const)('%s from %s to %s costs %d', (period, start, end, cost) => {
    expect(committedMicros(agreed({ period }, start, end))).toBe(cost * 1_000_000)
  })

  it('counts one period without a last day, and impressions by the thousand, rounded up', () => {
    expect(committedMicros(agreed({ period: 'monthly' }, '2026-01-01'))).toBe(100_000_000)
    expect(committedMicros(agreed({ model: 'cpm', price: 2.5 }, '2026-01-01', '2026-01-31', 1_000_001))).toBe(2_500_002_500)
    expect(committedMicros(agreed({ model: 'cpm', price: 0.000_001 }, '2026-01-01', '2026-01-31', 1))).toBe(1)
  })

  it.each([
    ['monthly', '2026-01-31', '2026-02-27'],
    ['weekly', '2026-03-01', '2026-03-07'],
    ['annual', '2026-03-01', '2027-02-28'],
    ['one_time', '2026-03-01', undefined],
  ] as const)('the first period of %s from %s ends on %s', (period, start, end) => {
    expect(firstPeriodEnd(price({ period }), start)).toBe(end)
  })
})
