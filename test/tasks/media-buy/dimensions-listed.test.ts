import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts } from '../../support/release-agent.ts'

/** A value of every dimension of core/targeting.json that this seller knows. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  geo_countries: ['US'],
  geo_countries_exclude: ['CA'],
  geo_regions: ['US-CA'],
  geo_regions_exclude: ['US-NY'],
  geo_metros: [{ system: 'nielsen_dma', values: ['501'] }],
  geo_metros_exclude: [{ system: 'nielsen_dma', values: ['501'] }],
  geo_postal_areas: [{ system: 'us_zip', values: ['10001'] }],
  geo_postal_areas_exclude: [{ system: 'us_zip', values: ['10001'] }],
  geo_proximity: [{ lat: 40.7, lng: -74, radius: { value: 5, unit: 'km' } }],
  daypart_targets: [{ days: ['monday'], start_hour: 8, end_hour: 20 }],
  audience_include: ['known'],
  audience_exclude: ['known'],
  frequency_cap: { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } },
  property_list: { agent_url: 'https://lists.example', list_id: 'list' },
  collection_list: { agent_url: 'https://lists.example', list_id: 'list' },
  collection_list_exclude: { agent_url: 'https://lists.example', list_id: 'list' },
  age_restriction: { min: 18 },
  device_platform: ['ios'],
  device_type: ['mobile'],
  device_type_exclude: ['tablet'],
  language: ['en'],
  keyword_targets: [{ keyword: 'shoes', match_type: 'broad' }],
  negative_keywords: [{ keyword: 'shoes', match_type: 'broad' }],
  signal_targeting_groups: {
    operator: 'all',
    groups: [
      {
        operator: 'any',
        signals: [{ signal_ref: { scope: 'product', signal_id: 'known' }, value_type: 'binary', value: true }],
      },
    ],
  },
}
const ALL_GEO = ['country', 'region', 'metro:nielsen_dma', 'postal_area:us_zip']
const PRODUCTS = [
  productDocument('bare', {}, { targeting: {} }),
  productDocument('all', {}, { targeting: { keywords: true, frequency_cap: true, geo_proximity: true, geo: ALL_GEO } }),
  productDocument('places', { property_targeting_allowed: false }, { targeting: { geo: ALL_GEO } }),
]
const SERVERS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['the simulator', {}],
  ['embedded, which knows all places', { 'adServer.type': 'embedded' }],
  ['embedded, which knows countries', { 'adServer.type': 'embedded', 'ads.countryHeader': 'x-country' }],
  ['embedded, which knows regions', { 'adServer.type': 'embedded', 'ads.regionHeader': 'x-region' }],
]

describe.each(SERVERS)('what a refusal of targeting lists is taken by %s', (_name, flags) => {
  let agent: MediaBuyAgent
  beforeAll(async () => {
    agent = await startMediaBuyAgent(PRODUCTS, { contracts, flags })
  }, 120_000)
  afterAll(() => agent?.stop())

  const refusalOf = async (product_id: string, targeting_overlay: object, client = agent.buyer) => {
    const line = { product_id, pricing_option_id: 'cpm', budget: 1000 }
    const { data } = await agent.create({ packages: [{ ...line, targeting_overlay }] }, client)
    return data.adcp_error as { code: string; message: string; field: string } | undefined
  }

  /** The dimensions that the refusal of an overlay names, for a list that ends the message. */
  const listedBy = (message: string) => (/ can be targeted by: (.*)$/.exec(message)?.[1] ?? '').split(', ')

  test.each(PRODUCTS.map(({ product_id: id }) => id))('orders of %s', async (id) => {
    const tester = await agent.buyerOn(ACCOUNT, { principal: `tester-${id}`, sandbox: true })
    const refusal = await refusalOf(id, { weather: ['rain'] })
    expect(refusal?.code).toBe('UNSUPPORTED_FEATURE')
    const listed = listedBy(refusal?.message ?? '')
    expect(listed.length).toBeGreaterThan(1)
    for (const [dimension, value] of Object.entries(SAMPLES))
      for (const client of [agent.buyer, tester]) {
        const own = await refusalOf(id, { [dimension]: value }, client)
        const isRefused = own?.code === 'UNSUPPORTED_FEATURE' || own?.message.includes('is not possible') === true
        expect([dimension, isRefused, own?.message]).toEqual([dimension, !listed.includes(dimension), own?.message])
        if (isRefused && own?.message.includes('can be targeted by')) expect(listedBy(own.message)).toEqual(listed)
      }
  })

  test('changes of an order, and packages that come to it', async () => {
    const { data } = await agent.create({ packages: [{ product_id: 'all', pricing_option_id: 'cpm', budget: 1000 }] })
    const [{ package_id }] = data.packages
    const refusal = await refusalOf('all', { weather: ['rain'] })
    const listed = listedBy(refusal?.message ?? '')
    const change = async (args: object) => {
      const answer = await agent.run('update_media_buy', { media_buy_id: data.media_buy_id, ...args })
      return answer.data.adcp_error as { code: string; message: string } | undefined
    }
    const line = { product_id: 'all', pricing_option_id: 'cpm', budget: 100 }
    for (const targeting_overlay of [{ weather: ['rain'] }, { age_restriction: { min: 18 } }])
      for (const args of [
        { packages: [{ package_id, targeting_overlay }] },
        { new_packages: [{ ...line, targeting_overlay }] },
      ]) {
        const own = await change(args)
        if (own) expect(listedBy(own.message)).toEqual(listed)
        else expect(listed).toContain('age_restriction')
      }
  })
})
