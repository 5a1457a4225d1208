import { expect, test } from 'vitest'
import { priceTests, wantedPrice } from '../../../src/domain/product/filter-prices.ts'
import { filterProducts } from '../../../src/domain/product/filter-products.ts'
import type { Product } from '../../../src/domain/product/product.ts'
import type { ProductFilters } from '../../../src/domain/product/product-filters.ts'
import { signalsPayableIn } from '../../../src/domain/product/signal-charges.ts'
import { demoProducts } from '../../support/demo-products.ts'

const [first, second, third] = demoProducts() as [Product, Product, Product]
const vendor = { domain: 'attention.example' }

function withOffer(product: Product, id: string, members: object): Product {
  return { ...product, id, offer: { ...product.offer, ...members } }
}
const reporting = (members: object) => ({ reporting_capabilities: { ...first.offer.reporting_capabilities, ...members } })

const products = [
  withOffer(
    first,
    'measured',
    reporting({ available_metrics: ['impressions', 'completed_views'], vendor_metrics: [{ vendor, metric_id: 'attention' }] }),
  ),
  withOffer(second, 'instream', { ...reporting({ available_metrics: ['impressions'] }), video_placement_types: ['instream'] }),
  withOffer(third, 'mixed', { video_placement_types: ['instream', 'interstitial'], placements: [] }),
  withOffer(third, 'choosable', {
    video_placement_types: ['instream', 'interstitial'],
    placements: [{ placement_id: 'p', name: 'P', mode: 'targetable', video_placement_types: ['instream'] }],
  }),
]
const ids = (filters: ProductFilters) =>
  filterProducts(products, filters, {
    features: {},
    isStandardFormat: () => true,
    declare: () => undefined,
    keepsOf: () => undefined,
  }).map(({ id }) => id)

test.each<[ProductFilters, string[]]>([
  [{ required_metrics: ['completed_views', 'impressions'] }, ['measured']],
  [{ required_metrics: ['foot_traffic'] }, []],
  [{ required_vendor_metrics: [{ vendor }] }, ['measured']],
  [{ required_vendor_metrics: [{ metric_id: 'attention' }] }, ['measured']],
  [{ required_vendor_metrics: [{ vendor, metric_id: 'attention' }, { metric_id: 'carbon' }] }, []],
  [{ required_vendor_metrics: [{ vendor: { domain: 'other.example' }, metric_id: 'attention' }] }, []],
  [{ video_placement_types: ['instream'] }, ['instream', 'choosable']],
  [{ video_placement_types: ['interstitial', 'instream'] }, ['instream', 'mixed', 'choosable']],
  [{ audio_distribution_types: ['podcast'] }, []],
])('the filters %j keep %j', (filters, expected) => {
  expect(ids(filters)).toEqual(expected)
})

test('only prices of the wanted kind and currency are wanted', () => {
  const fixed = { pricing_option_id: 'a', pricing_model: 'cpm', currency: 'GBP', fixed_price: 4 } as const
  const auction = { pricing_option_id: 'b', pricing_model: 'cpm', currency: 'GBP', floor_price: 2 } as const
  const euro = { ...fixed, currency: 'EUR' } as const
  const kept = (filters: ProductFilters) => [fixed, auction, euro].filter(wantedPrice(filters) ?? (() => true))
  expect(kept({ is_fixed_price: true })).toEqual([fixed, euro])
  expect(kept({ is_fixed_price: false })).toEqual([auction])
  expect(kept({ is_fixed_price: true, pricing_currencies: ['GBP'] })).toEqual([fixed])
  expect(kept({})).toHaveLength(3)
})

test.each([
  ['fixed', { default_selected: true }, ['EUR'], false],
  ['fixed', { default_selected: true }, ['EUR', 'USD'], true],
  ['fixed', {}, ['EUR'], true],
  ['required', {}, ['EUR'], false],
  ['optional', { default_selected: true }, ['EUR'], true],
] as const)(
  'signals that are %s with %j can be paid with USD and EUR where %j is asked beside the price',
  (mode, option, prices, payable) => {
    const signal = { signal_ref: { scope: 'product', signal_id: 's' }, ...option }
    const costs = (currency: string) => ({ pricing_option_id: currency, model: 'cpm', cpm: 1, currency })
    const offer = {
      ...first.offer,
      signal_targeting_options: [{ ...signal, pricing_options: prices.map(costs) }],
      signal_targeting_rules: { selection_mode: mode },
    }
    expect(signalsPayableIn(offer, new Set(['USD']))).toBe(payable)
    // A rule of their group says the same of them.
    const [grouped] = offer.signal_targeting_options.map((each) => ({ ...each, selection_group: 'tier' }))
    const rules = { selection_group_rules: [{ selection_group: 'tier', selection_mode: mode }] }
    const byGroup = { ...offer, signal_targeting_options: grouped ? [grouped] : [], signal_targeting_rules: rules }
    expect(signalsPayableIn(byGroup, new Set(['USD']))).toBe(payable)
    expect(signalsPayableIn({ ...offer, signal_targeting_options: [signal] }, new Set(['USD']))).toBe(true)
  },
)

test('a product whose mandatory signal costs another currency passes no filter of currencies', () => {
  const costs = { pricing_option_id: 'e', model: 'cpm', cpm: 1, currency: 'EUR' }
  const signal_targeting_options = [
    { signal_ref: { scope: 'product', signal_id: 's' }, default_selected: true, pricing_options: [costs] },
  ]
  const bound = withOffer(first, 'bound', { signal_targeting_options, signal_targeting_rules: { selection_mode: 'fixed' } })
  const passes = (filters: ProductFilters) => priceTests(filters).every((isPassed) => isPassed(bound))
  expect(passes({ pricing_currencies: ['USD'] })).toBe(false)
  expect(priceTests({ pricing_currencies: ['USD'] }).every((isPassed) => isPassed(first))).toBe(true)
  expect(passes({})).toBe(true)
})

test('audiences are brought by sync_audiences where the ad server of a product can target them', () => {
  const filters: ProductFilters = { audience_activation_methods: [{ pattern: 'sync_audiences' }] }
  const kept = (targeting: readonly string[]) =>
    filterProducts(products, filters, {
      features: {},
      isStandardFormat: () => true,
      declare: () => undefined,
      keepsOf: (id) => (id === 'mixed' ? undefined : { targeting }),
    }).map(({ id }) => id)
  expect(kept(['geo_countries'])).toEqual(['mixed'])
  expect(kept(['geo_countries', 'audience_include'])).toHaveLength(products.length)
})
