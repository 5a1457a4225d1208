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

  test('sizes, keys and the kind of delivery are those that most impressions were booked with', () => {
    const sport = { key: '7', values: ['71'] }
    const suggestions = new ProductSuggestions()
    suggestions.addUnit({ id: 'sport', name: 'Sport', sizes: ['728x90', '300x250', '970x250'] })
    const lines = [
      line({ impressionsDelivered: 600, sizes: ['300x250'], keyValues: [sport] }),
      line({ impressionsDelivered: 300, sizes: ['728x90', '300x250'], type: 'PRICE_PRIORITY' }),
      line({ impressionsDelivered: 2, sizes: ['970x250'] }),
    ]
    for (const each of lines) suggestions.addLine(each, 'USD')
    const sizes = new Set(['300x250', '728x90', '970x250'])
    const [found] = suggestions.suggest({
      ...OPTIONS,
      sizes,
      formats: ['tag'],
      nameOf: (id) => (id === '7' ? 'section' : undefined),
    })
    expect(found?.place).toEqual({ adUnits: ['sport'], sizes: ['300x250', '728x90'], keyValues: [sport] })
    expect(found?.product).toMatchObject({
      ...{ delivery_type: 'guaranteed', format_ids: ['display_300x250_tag', 'display_728x90_tag'] },
    })
    expect(found?.explanation).toMatch(/Only where section is 71, as more than half of what was delivered here$/)
    suggestions.addLine(line({ impressionsDelivered: 5_000, type: 'PRICE_PRIORITY' }), 'USD')
    const [other] = suggestions.suggest({ ...OPTIONS, sizes })
    expect(other?.place.keyValues).toBeUndefined()
    expect(other?.product.delivery_type).toBe('non_guaranteed')
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
