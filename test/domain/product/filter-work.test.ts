import { describe, expect, it } from 'vitest'
import { filterProducts } from '../../../src/domain/product/filter-products.ts'
import type { Product } from '../../../src/domain/product/product.ts'
import type { ProductFilters } from '../../../src/domain/product/product-filters.ts'
import { counted, type Reads } from '../../support/counted.ts'
import { demoProducts } from '../../support/demo-products.ts'

const [first] = demoProducts() as [Product]
const context = { features: {}, isStandardFormat: () => true, declare: () => undefined, keepsOf: () => undefined }
const fill = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))
const kept = (products: readonly Product[], filters: ProductFilters) => filterProducts(products, filters, context).length
const withKeywords = (keywords: readonly string[]): Product => ({
  ...first,
  selling: { ...first.selling, targeting: { ...first.selling.targeting, keywords: true }, keywords },
})
const at = (lat: number, lng: number): Product => ({
  ...first,
  selling: { ...first.selling, coverage: { ...first.selling.coverage, points: [{ lat, lng, radiusKm: 1 }] } },
})
const circle = (lat: number, lng: number) => ({ lat, lng, radius: { value: 1, unit: 'km' as const } })

describe('areas', () => {
  it('of many entries are held against many places, each place once', () => {
    const here = fill(2_000, () => at(51.5, -0.1))
    const away = fill(5_000, (index) => circle(-10 - index / 100, 20))
    expect(kept(here, { geo_proximity: [...away, circle(51.5, -0.1)] as ProductFilters['geo_proximity'] & object })).toBe(2_000)
    expect(kept(here, { geo_proximity: away as ProductFilters['geo_proximity'] & object })).toBe(0)
  })

  it('that make too much work with the places of products are refused', () => {
    const places = fill(500, (index) => at(51.5, index / 10))
    const near = fill(5_000, (index) => circle(51.5, -20 - index / 100)) as ProductFilters['geo_proximity'] & object
    expect(() => kept(places, { geo_proximity: near })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        field: 'filters.geo_proximity',
        message: expect.stringContaining('areas'),
      }),
    )
    expect(kept(places, { geo_proximity: near.slice(0, 100) as ProductFilters['geo_proximity'] & object })).toBe(0)
  })

  it('that are drawn are held to their corners', () => {
    const line = fill(10_000, (index) => [20 + index / 1_000, index % 2 === 0 ? 50 : 53])
    const geometry = { type: 'Polygon', coordinates: [[...line, line[0]]] }
    const places = fill(1_000, (index) => at(51 + index / 1_000, -10))
    expect(() => kept(places, { geo_proximity: [{ geometry }] as ProductFilters['geo_proximity'] & object })).toThrow(
      expect.objectContaining({ field: 'filters.geo_proximity' }),
    )
  })
})

describe('keywords', () => {
  it('that are equal are one, and a product’s own are read once', () => {
    const reads: Reads = { count: 0 }
    const own = counted(['garden', 'boats'], reads)
    const keywords = fill(9_999, () => ({ keyword: 'garden tools' }))
    expect(kept([withKeywords(own), withKeywords(own)], { keywords: keywords as ProductFilters['keywords'] & object })).toBe(2)
    expect(reads.count).toBeLessThanOrEqual(10)
  })

  it('that make too much work are refused', () => {
    const keywords = fill(9_999, (index) => ({ keyword: `garden ${index}`, match_type: 'phrase' as const }))
    const products = fill(100, (index) => withKeywords(['garden', `own ${index}`]))
    expect(() => kept(products, { keywords: keywords as ProductFilters['keywords'] & object })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', field: 'filters.keywords' }),
    )
  })

  it.each([
    ['exact', 'Garden tools', ['garden'], 0],
    ['exact', ' GARDEN ', ['garden'], 1],
    ['phrase', 'the garden tools', ['Garden Tools'], 1],
    ['phrase', 'gardens', ['garden'], 0],
    ['broad', 'gardens', ['garden tools'], 1],
    ['broad', 'boats', ['garden tools'], 0],
  ] as const)('%s: "%s" against %j', (match_type, keyword, own, expected) => {
    expect(kept([withKeywords(own)], { keywords: [{ keyword, match_type }] })).toBe(expected)
  })
})

describe('entries that are wanted', () => {
  const offering = (members: object): Product => ({ ...first, offer: { ...first.offer, ...members } })
  const provider = (index: number) => ({ agent_url: `https://p${index}.example/mcp`, context_match: true })
  const vendorMetric = (index: number) => ({ vendor: { domain: `v${index}.example` }, metric_id: 'attention' })
  const option = (index: number) => ({ scope: 'product', format_option_id: `o${index}` })

  it.each<[string, object, (wanted: (item: (index: number) => object) => object) => object, number]>([
    [
      'providers',
      { trusted_match: { providers: [provider(299)] } },
      (list) => ({ trusted_match: { providers: list(provider) } }),
      200,
    ],
    ['vendor metrics', reporting([vendorMetric(0)]), (list) => ({ required_vendor_metrics: list(vendorMetric) }), 0],
    ['options', { format_options: [declared('o299')] }, (list) => ({ format_option_refs: list(option) }), 200],
  ])('%s are read once, however many products there are', (_name, members, filtersOf, expected) => {
    const reads: Reads = { count: 0 }
    const filters = filtersOf((item) => counted(fill(300, item), reads))
    expect(
      kept(
        fill(200, () => offering(members)),
        filters,
      ),
    ).toBe(expected)
    expect(reads.count).toBeLessThanOrEqual(1_200)
  })

  it('a provider is taken for what it does, and a standard is met by its strictest threshold', () => {
    const product = offering({
      trusted_match: { providers: [{ agent_url: 'https://p.example/mcp', context_match: true }] },
      performance_standards: [{ metric: 'completion_rate', threshold: 0.8, vendor: { domain: 'v.example' } }],
    })
    const trusted = (entry: object) => kept([product], { trusted_match: { providers: [entry] } } as ProductFilters)
    expect(trusted({ agent_url: 'https://P.example/mcp' })).toBe(1)
    expect(trusted({ agent_url: 'https://p.example/mcp', context_match: true })).toBe(1)
    expect(trusted({ agent_url: 'https://p.example/mcp', identity_match: true })).toBe(0)
    const standards = (...thresholds: number[]) =>
      kept([product], {
        required_performance_standards: thresholds.map((threshold) => ({
          metric: 'completion_rate',
          threshold,
          vendor: { domain: 'v.example' },
        })),
      } as ProductFilters)
    expect([standards(0.7, 0.8), standards(0.9, 0.7)]).toEqual([1, 0])
  })
})

function reporting(vendor_metrics: readonly object[]) {
  return { reporting_capabilities: { ...first.offer.reporting_capabilities, vendor_metrics } }
}

function declared(format_option_id: string) {
  return { format_option_id, format_kind: 'image', params: {} }
}
