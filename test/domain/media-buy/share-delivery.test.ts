import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type DayMetrics, NOTHING, sumDays } from '../../../src/domain/media-buy/delivery.ts'
import type { CreativeFact } from '../../../src/domain/media-buy/media-buy.ts'
import { divide, shareDelivery } from '../../../src/domain/media-buy/share-delivery.ts'

const day = (date: string, impressions: number): DayMetrics => ({
  ...NOTHING,
  day: date,
  impressions,
  spendMicros: impressions * 10,
})
const fact = (creativeId: string, more: Partial<CreativeFact> = {}): CreativeFact => ({
  creativeId,
  approval: 'approved',
  servesFrom: '2026-03-01T00:00:00.000Z',
  ...more,
})
const share = (facts: CreativeFact[], days: DayMetrics[], pastServing: { from: string; until?: string }[] = []) =>
  Object.fromEntries(
    [...shareDelivery({ pastServing }, sumDays(days), facts)].map(([id, own]) => [
      id,
      own.map(({ day: at, impressions }) => [at, impressions]),
    ]),
  )

describe('a day is divided', () => {
  it('equally without weights, whole units to the first', () =>
    expect(share([fact('a'), fact('b')], [day('2026-03-02', 11)])).toEqual({ a: [['2026-03-02', 6]], b: [['2026-03-02', 5]] }))

  it('by weight; one without counts as the mean of the others', () =>
    expect(share([fact('a', { weight: 30 }), fact('b', { weight: 10 }), fact('c')], [day('2026-03-02', 60)])).toEqual({
      a: [['2026-03-02', 30]],
      b: [['2026-03-02', 10]],
      c: [['2026-03-02', 20]],
    }))

  it('ads that the seller supplies take nothing from the buyer’s, and all of a day that has none of those', () => {
    const supplied = [{ from: '2026-03-01T00:00:00.000Z' }]
    const late = fact('a', { servesFrom: '2026-03-03T00:00:00.000Z' })
    expect(share([late], [day('2026-03-02', 9), day('2026-03-03', 9)], supplied)).toEqual({ a: [['2026-03-03', 9]] })
  })

  it('a weight of zero gets nothing, unless nobody has another', () => {
    expect(share([fact('a', { weight: 0 }), fact('b', { weight: 5 })], [day('2026-03-02', 9)])).toEqual({
      a: [],
      b: [['2026-03-02', 9]],
    })
    expect(share([fact('a', { weight: 0 })], [day('2026-03-02', 9)])).toEqual({ a: [['2026-03-02', 9]] })
  })

  it('by how long each could serve on it', () => {
    const late = fact('b', { servesFrom: '2026-03-02T18:00:00.000Z' })
    expect(share([fact('a'), late], [day('2026-03-01', 10), day('2026-03-02', 10)])).toEqual({
      a: [
        ['2026-03-01', 10],
        ['2026-03-02', 8],
      ],
      b: [['2026-03-02', 2]],
    })
  })

  it('nobody gets what creatives served that are gone', () => {
    const now = fact('a', { servesFrom: '2026-03-02T12:00:00.000Z' })
    const gone = [{ from: '2026-03-01T00:00:00.000Z', until: '2026-03-02T12:00:00.000Z' }]
    expect(share([now], [day('2026-03-01', 10), day('2026-03-02', 10)], gone)).toEqual({ a: [['2026-03-02', 5]] })
  })

  it('figures of a day on which none could serve go to the approved ones', () => {
    const later = { servesFrom: '2026-04-01T00:00:00.000Z' }
    expect(share([fact('a', later), fact('b', { ...later, approval: 'rejected' })], [day('2026-03-02', 7)])).toEqual({
      a: [['2026-03-02', 7]],
      b: [],
    })
  })
})

test('parts add up to the whole, and no part of a share is lost', () => {
  const counts = fc.record({ impressions: fc.nat(1e9), spendMicros: fc.nat(1e12), clicks: fc.nat(1e6) })
  const shares = fc.array(fc.double({ min: 0.001, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(counts, shares, (some, weights) => {
      const parts = divide({ ...NOTHING, ...some }, weights)
      for (const name of ['impressions', 'spendMicros', 'clicks'] as const) {
        expect(parts.reduce((sum, part) => sum + part[name], 0)).toBe(some[name])
        for (const part of parts) expect(Number.isInteger(part[name]) && part[name] >= 0).toBe(true)
      }
    }),
  )
})
