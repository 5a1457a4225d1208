import { describe, expect, it, vi } from 'vitest'
import { filterProducts } from '../../../src/domain/product/filter-products.ts'
import { isFixedPrice, minimumSpend, type Product } from '../../../src/domain/product/product.ts'
import type { ProductFilters } from '../../../src/domain/product/product-filters.ts'
import { onPropertyList } from '../../../src/domain/product/property-list.ts'
import { distanceKm } from '../../../src/domain/product/proximity.ts'
import { isStandardFormatOf } from '../../../src/domain/product/standard-format.ts'
import { agentUrl, demoProducts, demoProductsFile } from '../../support/demo-products.ts'

const products = demoProducts()
const context = {
  features: { inline_creative_management: true },
  isStandardFormat: isStandardFormatOf(agentUrl),
  declare: () => undefined,
  keepsOf: () => undefined,
}
const filter = (filters: ProductFilters, list: readonly Product[] = products) => filterProducts(list, filters, context)
const ids = (filters: ProductFilters, list?: readonly Product[]) => filter(filters, list).map((product) => product.id)
const one = (id: string) => products.find((product) => product.id === id)!
const vendor = { domain: 'measurement.harborline.example' }

/** The filter keeps exactly the products of which `holds` is true, and that is some but not all. */
function keepsExactly(filters: ProductFilters, holds: (product: Product) => boolean) {
  const expected = products.filter(holds).map((product) => product.id)
  expect(expected.length).toBeGreaterThan(0)
  expect(expected.length).toBeLessThan(products.length)
  expect(ids(filters)).toEqual(expected)
}

describe('offer', () => {
  it('delivery_type', () => keepsExactly({ delivery_type: 'guaranteed' }, ({ offer }) => offer.delivery_type === 'guaranteed'))
  it('exclusivity, where absent means none', () => {
    keepsExactly({ exclusivity: 'exclusive' }, ({ offer }) => offer.exclusivity === 'exclusive')
    keepsExactly({ exclusivity: 'none' }, ({ offer }) => offer.exclusivity === undefined)
  })
  it('format_ids, any of them', () =>
    keepsExactly(
      {
        format_ids: [
          { agent_url: `${agentUrl}/`, id: 'podcast_host_read_60s' },
          { agent_url: agentUrl, id: 'broadcast_spot_15s' },
        ],
      },
      ({ offer }) => offer.format_ids.some(({ id }) => ['podcast_host_read_60s', 'broadcast_spot_15s'].includes(id)),
    ))
  it('standard_formats_only', () => {
    const own = {
      ...products[0]!,
      id: 'own',
      offer: { ...products[0]!.offer, format_ids: [{ agent_url: agentUrl, id: 'made_up' }] },
    }
    expect(ids({ standard_formats_only: true }, [products[0]!, own])).toEqual([products[0]!.id])
    expect(ids({ standard_formats_only: false }, [products[0]!, own])).toHaveLength(2)
  })
  it('channels, any of them', () =>
    keepsExactly({ channels: ['podcast', 'dooh'] }, ({ offer }) =>
      offer.channels!.some((channel) => ['podcast', 'dooh'].includes(channel)),
    ))
})

describe('price', () => {
  it('is_fixed_price: products with both kinds match both', () => {
    keepsExactly({ is_fixed_price: true }, ({ offer }) => offer.pricing_options.some(isFixedPrice))
    keepsExactly({ is_fixed_price: false }, ({ offer }) => offer.pricing_options.some((option) => !isFixedPrice(option)))
    expect(ids({ is_fixed_price: true })).toContain('uk_news_display')
    expect(ids({ is_fixed_price: false })).toContain('uk_news_display')
  })
  it('budget_range: the currency, and the least that a package costs', () => {
    keepsExactly({ budget_range: { max: 1200, currency: 'GBP' } }, ({ offer }) =>
      offer.pricing_options.some((option) => option.currency === 'GBP' && minimumSpend(option) <= 1200),
    )
    expect(ids({ budget_range: { max: 20_000, currency: 'USD' } })).not.toContain('news_homepage_takeover')
    expect(ids({ budget_range: { min: 1_000_000, currency: 'USD' } })).not.toContain('podcast_trail_notes_midroll')
    expect(ids({ budget_range: { min: 1, currency: 'JPY' } })).toEqual([])
  })
})

describe('availability', () => {
  const seasonal = {
    ...products[0]!,
    selling: { ...products[0]!.selling, availableFrom: '2026-05-01', availableUntil: '2026-08-31' },
  }
  it.each([
    ['2026-05-01', '2026-08-31', true],
    ['2026-04-30', '2026-06-01', false],
    ['2026-06-01', '2026-09-01', false],
  ])('flight %s to %s: %s', (start_date, end_date, available) =>
    expect(ids({ start_date, end_date }, [seasonal])).toHaveLength(available ? 1 : 0),
  )
  it('min_exposures grows with the flight', () => {
    const capacity = seasonal.selling.dailyCapacity
    expect(ids({ min_exposures: capacity * 5, start_date: '2026-06-01', end_date: '2026-06-03' }, [seasonal])).toEqual([])
    expect(ids({ min_exposures: capacity * 2, start_date: '2026-06-01', end_date: '2026-06-03' }, [seasonal])).toHaveLength(1)
    keepsExactly(
      { min_exposures: 10_000_000 },
      ({ offer }) => offer.forecast!.points[0]!.metrics.impressions!.high! - 30 >= 10_000_000,
    )
  })
})

describe('places', () => {
  it('countries', () =>
    keepsExactly({ countries: ['DE', 'AT'] }, ({ selling }) =>
      selling.coverage.countries!.some((country) => ['DE', 'AT'].includes(country)),
    ))
  it('regions: bound inventory by region, the rest by country', () => {
    expect(ids({ regions: ['US-NY'], channels: ['dooh'] })).toEqual([
      'dooh_quayside_network',
      'dooh_station_portrait',
      'dooh_station_takeover_hour',
    ])
    expect(ids({ regions: ['US-CA'], channels: ['dooh'] })).toEqual([])
    expect(ids({ regions: ['US-CA'] })).toContain('ros_display')
  })
  it('metros', () => {
    expect(ids({ metros: [{ system: 'uk_itl2', code: 'UKI3' }], channels: ['dooh'] })).toEqual(['dooh_london_bridge'])
    expect(ids({ metros: [{ system: 'nielsen_dma', code: '501' }] })).not.toContain('uk_video')
  })
  it('postal areas', () => {
    expect(ids({ postal_areas: [{ system: 'us_zip', values: ['10004'] }], channels: ['dooh'] })).toContain(
      'dooh_quayside_network',
    )
    expect(ids({ postal_areas: [{ system: 'us_zip', values: ['90210'] }], channels: ['dooh'] })).toEqual([])
  })
  it('required_geo_targeting, with and without a system', () => {
    expect(ids({ required_geo_targeting: [{ level: 'metro', system: 'nielsen_dma' }] })).toContain('ctv_sports_live')
    expect(ids({ required_geo_targeting: [{ level: 'metro' }] })).not.toContain('linear_primetime')
    expect(ids({ required_geo_targeting: [{ level: 'postal_area', system: 'de_plz' }] })).toEqual([])
  })
  it('geo_proximity by radius, travel time and polygon', () => {
    const dooh = (geo_proximity: ProductFilters['geo_proximity']) => ids({ geo_proximity: geo_proximity!, channels: ['dooh'] })
    expect(dooh([{ lat: 51.5, lng: -0.1, radius: { value: 2, unit: 'km' } }])).toEqual(['dooh_london_bridge'])
    expect(dooh([{ lat: 51.7, lng: -0.1, radius: { value: 2, unit: 'km' } }])).toEqual([])
    expect(dooh([{ lat: 51.6, lng: -0.1, travel_time: { value: 1, unit: 'hr' }, transport_mode: 'driving' }])).toEqual([
      'dooh_london_bridge',
    ])
    const square = {
      type: 'Polygon',
      coordinates: [
        [
          [-1, 51],
          [1, 51],
          [1, 52],
          [-1, 52],
          [-1, 51],
        ],
      ],
    }
    expect(dooh([{ geometry: square }])).toEqual(['dooh_london_bridge'])
    expect(ids({ geo_proximity: [{ lat: 51.5, lng: -0.1, radius: { value: 2, unit: 'km' } }] })).not.toContain('ros_display')
  })
  it('measures distance on the globe', () => {
    expect(distanceKm({ lat: 40.7128, lng: -74.006 }, { lat: 51.5074, lng: -0.1278 })).toBeCloseTo(5570, -1)
  })
})

describe('capabilities', () => {
  it('required_features counts only what is asked with true', () => {
    expect(ids({ required_features: { inline_creative_management: true, catalog_management: false } })).toHaveLength(
      products.length,
    )
    expect(ids({ required_features: { catalog_management: true } })).toEqual([])
  })
  it('required_performance_standards: floors, and a ceiling for invalid traffic', () => {
    const metric = (name: 'completion_rate' | 'ivt', threshold: number) =>
      ids({ required_performance_standards: [{ metric: name, threshold, vendor }] })
    expect(metric('completion_rate', 0.95)).toEqual(['ctv_sports_live', 'ctv_prime_evening'])
    expect(metric('ivt', 0.02)).toEqual(['premium_video_measured'])
    expect(
      ids({ required_performance_standards: [{ metric: 'ivt', threshold: 0.5, vendor: { domain: 'other.example' } }] }),
    ).toEqual([])
    expect(
      ids({ required_performance_standards: [{ metric: 'viewability', threshold: 0.5, standard: 'groupm', vendor }] }),
    ).toEqual(['dach_premium_display'])
  })
  it('keywords by match type, only where keywords can be targeted', () => {
    const keyword = (text: string, match_type?: 'exact' | 'phrase' | 'broad') =>
      ids({ keywords: [{ keyword: text, ...(match_type && { match_type }) }] })
    expect(keyword('community', 'exact')).toEqual(['commons_feed_posts'])
    expect(keyword('best community pages', 'phrase')).toEqual(['commons_feed_posts'])
    expect(keyword('best community pages', 'exact')).toEqual([])
    expect(keyword('communities')).toEqual(['commons_feed_posts'])
    expect(keyword('golf')).toEqual([])
  })
  const withMatch = {
    ...products[0]!,
    offer: {
      ...products[0]!.offer,
      trusted_match: {
        context_match: true,
        providers: [{ agent_url: 'https://tmp.example/a', context_match: true }],
        response_types: ['creative' as const],
      },
      data_provider_signals: [{ data_provider_domain: 'data.example', selection_type: 'by_id' as const, signal_ids: ['a', 'b'] }],
    },
  }
  const both = [withMatch, products[1]!]
  it('trusted_match and exchanges', () => {
    expect(ids({ trusted_match: { providers: [{ agent_url: 'https://TMP.example/a/', context_match: true }] } }, both)).toEqual([
      withMatch.id,
    ])
    expect(ids({ trusted_match: { providers: [{ agent_url: 'https://tmp.example/a', identity_match: true }] } }, both)).toEqual(
      [],
    )
    expect(ids({ trusted_match: { response_types: ['activation'] } }, both)).toEqual([])
    expect(ids({ required_axe_integrations: ['https://tmp.example/a'] }, both)).toEqual([withMatch.id])
  })
  it('signals: the bundle whole, or single ones where that is allowed', () => {
    const signal = (...names: string[]) =>
      names.map((id) => ({
        signal_id: { source: 'catalog' as const, data_provider_domain: 'data.example', id },
        value_type: 'binary' as const,
        value: true,
      }))
    expect(ids({ signal_targeting: signal('a', 'b') }, both)).toEqual([withMatch.id])
    expect(ids({ signal_targeting: signal('a') }, both)).toEqual([])
    const split = { ...withMatch, offer: { ...withMatch.offer, signal_targeting_allowed: true } }
    expect(ids({ signal_targeting: signal('a') }, [split])).toEqual([withMatch.id])
    expect(ids({ signal_targeting: signal('c') }, [split])).toEqual([])
  })
})

describe('onPropertyList', () => {
  const file = demoProductsFile()
  const on = (...values: string[]) =>
    onPropertyList(
      products,
      { publisher: file.publisher, properties: file.properties ?? [] },
      values.map((value) => ({ type: 'domain', value })),
    ).map(({ id }) => id)
  it('keeps divisible products with one property in the list and bundles with all of theirs', () => {
    expect(on('Trailhead.harborline.example')).toContain('outdoor_lifestyle_display')
    expect(on('trailhead.harborline.example')).toContain('outdoor_display_auction')
    expect(on('trailhead.harborline.example')).not.toContain('uk_video')
    expect(on('news.harborline.example', 'sport.harborline.example')).toContain('uk_video')
    expect(on('elsewhere.example')).toEqual([])
    expect(one('uk_video').offer.property_targeting_allowed).toBeUndefined()
  })
})

describe('what a buyer lists is read once, however many products there are', () => {
  const many = Array.from({ length: 50 }, () => one('commons_feed_posts'))
  const bound = many.map((product) => ({
    ...product,
    selling: { ...product.selling, coverage: { countries: ['AT'], regions: ['AT-9'], metros: [{ system: 'x', code: 'y' }] } },
  }))
  /** Counts how often items of a list are asked for. */
  const counted = <T>(items: readonly T[]) => {
    const reads = { count: 0 }
    const list = new Proxy([...items], {
      get: (target, name, self) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads.count++
        return Reflect.get(target, name, self)
      },
    })
    return { list, reads }
  }

  it.each<readonly [string, readonly unknown[]]>([
    ['countries', Array(100).fill('DE')],
    ['regions', Array(100).fill('DE-BE')],
    ['metros', Array(100).fill({ system: 'uk_itl2', code: 'UKI3' })],
    ['keywords', Array(100).fill({ keyword: 'community pages', match_type: 'broad' })],
  ])('%s', (name, items) => {
    const { list, reads } = counted(items)
    filterProducts(name === 'keywords' ? many : bound, { [name]: list }, context)
    expect(reads.count).toBeLessThanOrEqual(300)
  })

  it('a keyword is put into its normal form once, and only its beginning', () => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    filterProducts(many, { keywords: [{ keyword: '\ufdfa'.repeat(60_000), match_type: 'broad' }] }, context)
    const long = normalize.mock.results.filter(({ value }) => String(value).length > 400)
    normalize.mockRestore()
    expect(Math.max(0, ...long.map(({ value }) => String(value).length))).toBeLessThanOrEqual(1_800)
    expect(long.length).toBeLessThanOrEqual(3)
  })
})
