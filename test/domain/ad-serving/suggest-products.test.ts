import { describe, expect, test } from 'vitest'
import type { ExistingLine } from '../../../src/domain/ad-serving/existing-line.ts'
import { ProductSuggestions } from '../../../src/domain/ad-serving/suggest-products.ts'

const OPTIONS = { domain: 'news.example', currency: 'USD', sizes: new Set(['300x250']), most: 10 }

function line(change: Partial<ExistingLine>): ExistingLine {
  return {
    ...{ id: '1', orderId: '1', orderName: 'Order', name: 'Line', status: 'COMPLETED', isArchived: false, isOurs: false },
    ...{ type: 'STANDARD', startsAt: '2026-01-01T00:00:00.000Z', endsAt: '2026-01-11T00:00:00.000Z' },
    ...{ costType: 'CPM', rateMicros: 4_000_000, currency: 'USD', impressionsDelivered: 1_000, unitIds: ['sport'], ...change },
  }
}

function suggested(lines: readonly ExistingLine[]) {
  const suggestions = new ProductSuggestions()
  suggestions.addUnit({ id: 'root', name: 'News' })
  suggestions.addUnit({ id: 'sport', name: 'Sport & more', parentId: 'root', sizes: ['300x250', '1x1'] })
  suggestions.addUnit({ id: 'odd', name: 'Odd', parentId: 'root', sizes: ['1x1'] })
  for (const each of lines) suggestions.addLine(each, 'USD')
  return suggestions.suggest(OPTIONS)
}

describe('products suggested from ad units and what was sold', () => {
  test('the price is the median by impressions, and says why', () => {
    const lines = [
      line({ rateMicros: 2_000_000, impressionsDelivered: 1_000 }),
      line({ rateMicros: 4_000_000, impressionsDelivered: 8_000 }),
      line({ rateMicros: 9_000_000, impressionsDelivered: 1_000, unitIds: ['root'] }),
    ]
    const [found, ...others] = suggested(lines)
    expect(others).toEqual([])
    const [{ fixed_price } = { fixed_price: 0 }] = found?.product.pricing_options ?? []
    expect(Math.abs((fixed_price ?? 0) - 4)).toBeLessThan(0.05)
    expect(found).toMatchObject({
      place: { adUnits: ['sport'], sizes: ['300x250'] },
      product: {
        ...{ product_id: 'sport_more_sport', description: 'News / Sport & more, 300x250.' },
        selling: { status: 'paused', daily_capacity: 900 },
      },
    })
    expect(found?.explanation).toMatch(/the median by impressions of 3 lines on this unit or above it, 10000 impressions/)
  })

  test('units are chosen by what they lie below, and by words of their names and of those above', () => {
    const suggestions = new ProductSuggestions()
    suggestions.addUnit({ id: 'root', name: 'News' })
    for (const [id, name, parentId] of [
      ['sport', 'Sport', 'root'],
      ['ball', 'Football', 'sport'],
      ['home', 'Home', 'root'],
    ] as const)
      suggestions.addUnit({ id, name, parentId, sizes: ['300x250'] })
    const chosen = (more: object) => suggestions.suggest({ ...OPTIONS, ...more }).map(({ place }) => place.adUnits[0])
    expect(chosen({})).toEqual(['ball', 'home', 'sport'])
    expect(chosen({ units: ['sport'] })).toEqual(['ball', 'sport'])
    expect(chosen({ search: 'SPORT' })).toEqual(['ball', 'sport'])
    expect(chosen({ search: 'ball' })).toEqual(['ball'])
    expect(chosen({ units: ['home'], search: 'sport' })).toEqual([])
    expect(suggestions.unknown(['home', 'none'])).toEqual(['none'])
  })

  test('few lines of its own give way to those of the network; other prices and currencies do not count', () => {
    const lines = [
      line({}),
      line({ unitIds: ['odd'], rateMicros: 6_000_000, impressionsDelivered: 50_000 }),
      line({ costType: 'CPC', rateMicros: 1_000_000_000 }),
      line({ currency: 'EUR', rateMicros: 1_000_000_000 }),
      line({ type: 'HOUSE', rateMicros: 1_000_000_000 }),
    ]
    const [found] = suggested(lines)
    expect(found?.explanation).toMatch(/of 2 lines of the whole network \(1 on this unit\)/)
    expect(suggested([])[0]?.explanation).toMatch(/no line with a CPM in USD was found/)
  })
})
