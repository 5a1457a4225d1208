import { describe, expect, it } from 'vitest'
import type { SignalPrice } from '../../../src/domain/signal/signal.ts'
import { type ReportedUsage, subjectOf, usageOf, usagePeriod } from '../../../src/domain/signal/usage.ts'

const NOW = new Date('2026-03-16T12:00:00Z')
const PERIOD = usagePeriod({ start: '2026-03-01T00:00:00Z', end: '2026-03-10T00:00:00Z' }, { now: NOW })
const PRICES: SignalPrice[] = [
  { pricing_option_id: 'cpm', model: 'cpm', cpm: 3.5, currency: 'USD' },
  { pricing_option_id: 'share', model: 'percent_of_media', percent: 12, max_cpm: 3, currency: 'USD' },
  { pricing_option_id: 'flat', model: 'flat_fee', amount: 5000, period: 'monthly', currency: 'USD' },
  { pricing_option_id: 'yen', model: 'cpm', cpm: 300, currency: 'JPY' },
]
const read = (usage: Partial<ReportedUsage>, committed?: string, prices = PRICES) => {
  const whole: ReportedUsage = {
    account: { account_id: 'a' },
    signal_agent_segment_id: 's',
    vendor_cost: 0,
    currency: 'USD',
    ...usage,
  }
  const terms = { prices, committed }
  return usageOf(whole, { subject: subjectOf(whole, 'usage[0]'), terms, period: PERIOD, now: NOW, path: 'usage[0]' })
}
const refused = (field: string, code = 'VALIDATION_ERROR') => expect.objectContaining({ code, field: `usage[0].${field}` })

describe('usage records', () => {
  it.each<[Partial<ReportedUsage>, number]>([
    [{ pricing_option_id: 'cpm', impressions: 4_200_000, vendor_cost: 14_700 }, 14_700_000_000],
    [{ pricing_option_id: 'cpm', impressions: 1, vendor_cost: 0 }, 0],
    [{ pricing_option_id: 'share', media_spend: 1000, impressions: 100_000, vendor_cost: 120 }, 120_000_000],
    [{ pricing_option_id: 'share', media_spend: 9000, impressions: 100_000, vendor_cost: 300 }, 300_000_000],
    [{ pricing_option_id: 'flat', vendor_cost: 5000 }, 5_000_000_000],
    [{ pricing_option_id: 'yen', impressions: 1005, vendor_cost: 301, currency: 'JPY' }, 301_000_000],
  ])('takes a cost that its price comes to: %j', (usage, costMicros) => {
    expect(read(usage)).toMatchObject({ costMicros, billedOn: '2026-03-10' })
  })

  it.each<[Partial<ReportedUsage>, string]>([
    [{ pricing_option_id: 'cpm', impressions: 1000, vendor_cost: 3.52 }, 'vendor_cost'],
    [{ pricing_option_id: 'cpm', vendor_cost: 3 }, 'impressions'],
    [{ pricing_option_id: 'share', impressions: 9, vendor_cost: 3 }, 'media_spend'],
    [{ pricing_option_id: 'share', media_spend: 9, vendor_cost: 1 }, 'impressions'],
    [{ pricing_option_id: 'flat', vendor_cost: 5000, currency: 'EUR' }, 'currency'],
    [{ pricing_option_id: 'other', vendor_cost: 1 }, 'pricing_option_id'],
    [{ vendor_cost: 1 }, 'pricing_option_id'],
    [{ creative_id: 'c', vendor_cost: 1 }, 'creative_id'],
  ])('names what is wrong: %j', (usage, field) => {
    expect(() => read(usage)).toThrowError(refused(field))
  })

  it('says what the price gives', () => {
    const wrong = () => read({ pricing_option_id: 'cpm', impressions: 1001, vendor_cost: 9 })
    expect(wrong).toThrowError(expect.objectContaining({ details: { expected_cost: 3.5, currency: 'USD' } }))
  })

  it('falls back to the price that was committed to, and bills no service without prices', () => {
    expect(read({ vendor_cost: 5000 }, 'flat')).toMatchObject({ costMicros: 5_000_000_000 })
    expect(() => read({ vendor_cost: 1 }, undefined, [])).toThrowError(refused('pricing_option_id', 'UNSUPPORTED_FEATURE'))
  })

  it('has one fingerprint for a service, media buy, price and period', () => {
    const print = (usage: Partial<ReportedUsage>) => read({ pricing_option_id: 'flat', vendor_cost: 5000, ...usage }).fingerprint
    expect(print({ impressions: 5 })).toBe(print({ impressions: 9 }))
    expect(print({ media_buy_id: 'b' })).not.toBe(print({}))
    expect(print({ signal_agent_segment_id: 't' })).not.toBe(print({}))
  })

  it('needs a service, and a period that has begun', () => {
    expect(() => read({ signal_agent_segment_id: undefined as unknown as string })).toThrowError(
      refused('signal_agent_segment_id'),
    )
    const at =
      (start: string, end: string, anyTime = false) =>
      () =>
        usagePeriod({ start, end }, { now: NOW, anyTime })
    expect(at('2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z')).toThrowError(
      expect.objectContaining({ field: 'reporting_period.end' }),
    )
    expect(at('2026-04-01T00:00:00Z', '2026-04-02T00:00:00Z')).toThrowError(
      expect.objectContaining({ field: 'reporting_period.start' }),
    )
    expect(at('2026-04-01T00:00:00Z', '2026-04-02T00:00:00Z', true)()).toEqual({
      start: '2026-04-01T00:00:00.000Z',
      end: '2026-04-02T00:00:00.000Z',
    })
  })
})
