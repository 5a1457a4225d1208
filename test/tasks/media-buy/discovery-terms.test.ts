import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent?.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
type Shown = any

/** All products of the wholesale feed under these terms. */
async function wholesale(line: string, terms: object): Promise<Shown[]> {
  const products: Shown[] = []
  for (let cursor: string | undefined; ; ) {
    const pagination = { max_results: 100, ...(cursor !== undefined && { cursor }) }
    const { data, isError } = await agent.ask(line, 'get_products', { buying_mode: 'wholesale', pagination, ...terms })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    products.push(...data.products)
    if (!data.pagination.has_more) return products
    cursor = data.pagination.cursor
  }
}
const idsOf = (products: readonly Shown[]) => products.map(({ product_id }) => product_id)
const later = LINES.filter((line) => line !== '3.0')

describe.skipIf(!LINES.includes('3.2'))('filters of AdCP 3.2', () => {
  test.each(['image', 'video_hosted', 'audio_hosted'])(
    'format_kinds: products with the format %s, and no others',
    async (kind) => {
      const all = await wholesale('3.2', {})
      const found = await wholesale('3.2', { filters: { format_kinds: [kind] } })
      const hasKind = ({ format_options }: Shown) => format_options.some((option: Shown) => option.format_kind === kind)
      expect(idsOf(found)).toEqual(idsOf(all.filter(hasKind)))
      expect(found.length).toBeGreaterThan(0)
      expect(found.length).toBeLessThan(all.length)
    },
  )

  test('format_option_refs: products with this option', async () => {
    const all = await wholesale('3.2', {})
    const [option] = all.find(({ channels }) => channels.includes('podcast')).format_options
    const reference = { scope: 'product', format_option_id: option.format_option_id }
    const has = ({ format_options }: Shown) =>
      format_options.some(({ format_option_id }: Shown) => format_option_id === option.format_option_id)
    expect(idsOf(await wholesale('3.2', { filters: { format_option_refs: [reference] } }))).toEqual(idsOf(all.filter(has)))
    const foreign = { scope: 'publisher', publisher_domain: 'other.example', format_option_id: option.format_option_id }
    expect(await wholesale('3.2', { filters: { format_option_refs: [foreign] } })).toEqual([])
  })

  test('pricing_structures: fixed and auction prices, and none that depends on an outcome', async () => {
    for (const structure of ['fixed', 'auction']) {
      const found = await wholesale('3.2', { filters: { pricing_structures: [structure] } })
      const prices = found.flatMap(({ pricing_options }) => pricing_options)
      expect(prices.length).toBeGreaterThan(0)
      expect(prices.every((price) => ('fixed_price' in price ? 'fixed' : 'auction') === structure)).toBe(true)
    }
    expect(await wholesale('3.2', { filters: { pricing_structures: ['contingent'] } })).toEqual([])
    expect(await wholesale('3.2', { filters: { pricing_structures: ['fixed'], is_fixed_price: false } })).toEqual([])
  })

  test('audience_activation_methods: what the products say they take', async () => {
    const found = await wholesale('3.2', { filters: { audience_activation_methods: [{ pattern: 'sync_audiences' }] } })
    expect(found.length).toBeGreaterThan(0)
    expect(found.every(({ audience_activation }) => audience_activation.methods[0].pattern === 'sync_audiences')).toBe(true)
    const cleanRoom = { pattern: 'clean_room', vendor: { domain: 'room.example' } }
    expect(await wholesale('3.2', { filters: { audience_activation_methods: [cleanRoom] } })).toEqual([])
  })

  test('audience_evidence_requirements: no product publishes evidence', async () => {
    const asked = (requirement_mode: string, evidence_presence: string) =>
      wholesale('3.2', { filters: { audience_evidence_requirements: { requirement_mode, evidence_presence } } })
    expect(await asked('required', 'required')).toEqual([])
    expect((await asked('required', 'when_available')).length).toBeGreaterThan(0)
    expect((await asked('preferred', 'required')).length).toBeGreaterThan(0)
  })

  test('are counted in filter_diagnostics', async () => {
    const { data } = await agent.ask('3.2', 'get_products', {
      buying_mode: 'wholesale',
      filters: { format_kinds: ['audio_hosted'] },
      pagination: { max_results: 1 },
    })
    expect(data.filter_diagnostics.excluded_by.format_kinds.count).toBe(
      data.filter_diagnostics.total_candidates - data.pagination.total_count,
    )
  })
})

describe.skipIf(!LINES.includes('3.2'))('targeting at discovery', () => {
  test('targeting_overlay leaves the products that can be ordered with it, without a forecast for all of their inventory', async () => {
    const all = await wholesale('3.2', {})
    const postal = { geo_postal_areas: [{ country: 'US', system: 'zip', values: ['10001'] }] }
    const found = await wholesale('3.2', { targeting_overlay: postal })
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(all.length)
    expect(found.every((product) => !('forecast' in product))).toBe(true)
    expect(
      idsOf(await wholesale('3.2', { targeting_overlay: { geo_postal_areas: [{ system: 'us_zip', values: ['10001'] }] } })),
    ).toEqual(idsOf(found))
    expect(await wholesale('3.2', { targeting_overlay: { browser: ['firefox'] } })).toEqual([])
  })

  test('a targeting_overlay that contradicts itself is refused', async () => {
    const targeting_overlay = { geo_countries: ['US'], geo_countries_exclude: ['US'] }
    const { data } = await agent.ask('3.2', 'get_products', { buying_mode: 'wholesale', targeting_overlay })
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'targeting_overlay.geo_countries_exclude' })
  })

  test('required_overlay_support leaves the products that support it, and shows their support', async () => {
    const all = await wholesale('3.2', {})
    const found = await wholesale('3.2', {
      required_overlay_support: { geo_metros: { systems: ['nielsen_dma'] }, geo_countries: true },
    })
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(all.length)
    for (const { overlay_support: support } of found) {
      expect(support).toMatchObject({ geo_countries: true, geo_metros: { systems: ['nielsen_dma'] } })
    }
    expect(all.some((product) => 'overlay_support' in product)).toBe(false)
    expect(
      await wholesale('3.2', {
        required_overlay_support: { geo_metros: { systems: ['uk_itl2'] }, geo_postal_areas: { us_zip: true } },
      }),
    ).toEqual([])
    expect(await wholesale('3.2', { required_overlay_support: { placement_selection: true } })).toEqual([])
    const postal = await wholesale('3.2', { required_overlay_support: { geo_postal_areas: { US: ['zip'] } } })
    expect(idsOf(postal)).toEqual(
      idsOf(await wholesale('3.2', { required_overlay_support: { geo_postal_areas: { us_zip: true } } })),
    )
    expect(postal.length).toBeGreaterThan(0)
  })

  describe('what a brief demands', () => {
    const brief = 'Video and display for outdoor brands'
    const ask = async (line: string, words: string) =>
      (await agent.ask(line, 'get_products', { buying_mode: 'brief', brief: `${brief}. ${words}` })).data

    test('is confirmed, and leaves the products that can keep it', async () => {
      const free = await ask('3.2', '')
      const held = await ask('3.2', 'Deliver only in Canada.')
      expect(free).not.toHaveProperty('targeting_resolution')
      expect(held.targeting_resolution).toEqual({ brief_targeting: { geo_countries: ['CA'] } })
      expect(held.ext.notes[0]).toContain('delivery in CA alone')
      expect(held.products.length).toBeGreaterThan(0)
      const targeted = await wholesale('3.2', { targeting_overlay: { geo_countries: ['CA'] } })
      for (const id of idsOf(held.products)) expect(idsOf(targeted)).toContain(id)
      const nowhere = await ask('3.2', 'Deliver only in Japan.')
      // Inventory of the sandbox has no country: it can be limited to any.
      expect(idsOf(nowhere.products).filter((id) => !/^test-/.test(id))).toEqual([])
    })

    test('is not inferred where the request states targeting, nor in the words of a release that cannot say it', async () => {
      const stated = { buying_mode: 'brief', brief: `${brief}, only in Canada`, targeting_overlay: { geo_countries: ['US'] } }
      const { data } = await agent.ask('3.2', 'get_products', stated)
      expect(data.products.length).toBeGreaterThan(0)
      expect(data).not.toHaveProperty('targeting_resolution')
      expect(await ask('3.0', 'Deliver only in Japan.')).not.toHaveProperty('targeting_resolution')
    })

    test('of an age leaves nothing, since no product keeps one: orders with demographics are refused as well', async () => {
      const held = await ask('3.2', 'Only adults aged 25 to 54.')
      expect(held).toMatchObject({
        products: [],
        targeting_resolution: { brief_targeting: { demographics: { age: { min: 25, max: 54, include_unknown: false } } } },
      })
      expect(held.ext.notes[0]).toContain('25 to 54')
      const demographics = { age: { min: 25, max: 54, include_unknown: false } }
      expect(await wholesale('3.2', { targeting_overlay: { demographics } })).toEqual([])
      expect(await wholesale('3.2', { required_overlay_support: { demographics: { age: true } } })).toEqual([])
      const [product] = await wholesale('3.2', { filters: { is_fixed_price: true } })
      const { data } = await agent.ask('3.2', 'create_media_buy', {
        account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
        brand: { domain: 'acmeoutdoor.example' },
        start_time: '2026-04-01T00:00:00Z',
        end_time: '2026-05-01T00:00:00Z',
        packages: [
          {
            product_id: product.product_id,
            pricing_option_id: product.pricing_options[0].pricing_option_id,
            budget: 50_000,
            targeting_overlay: { demographics },
          },
        ],
      })
      expect(data.adcp_error).toMatchObject({
        code: 'UNSUPPORTED_FEATURE',
        field: 'packages[0].targeting_overlay.demographics',
      })
    })
  })

  test('a product says how it can be targeted when it is asked for', async () => {
    const [product] = await wholesale('3.2', { fields: ['overlay_support'] })
    expect(product).toMatchObject({
      overlay_support: { geo_countries: true },
    })
  })

  test('terms of the whole media buy are met by no product', async () => {
    expect(await wholesale('3.2', { required_media_buy_support: { frequency_cap: true } })).toEqual([])
    const cap = { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } }
    const { data } = await agent.ask('3.2', 'get_products', { buying_mode: 'wholesale', media_buy_frequency_cap: cap })
    expect(data.adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'media_buy_frequency_cap' })
  })

  test('the version of the feed is that of the question', async () => {
    const version = async (terms: object) =>
      (await agent.ask('3.2', 'get_products', { buying_mode: 'wholesale', ...terms })).data.wholesale_feed_version
    const versions = await Promise.all([
      version({}),
      version({ targeting_overlay: { geo_countries: ['US'] } }),
      version({ required_overlay_support: { geo_countries: true } }),
    ])
    expect(new Set(versions).size).toBe(3)
  })
})

describe.each(later)('postal areas by country and system under AdCP %s', (line) => {
  const areas = (own: object) => [{ values: ['10001'], ...own }]

  test('filter products as the names of 3.0 do', async () => {
    const by = (own: object) => wholesale(line, { filters: { required_geo_targeting: [{ level: 'postal_area', ...own }] } })
    const found = idsOf(await by({ country: 'US', system: 'zip' }))
    expect(found).toEqual(idsOf(await by({ system: 'us_zip' })))
    expect(found.length).toBeGreaterThan(0)
    expect(idsOf(await wholesale(line, { filters: { postal_areas: areas({ country: 'US', system: 'zip' }) } }))).toEqual(
      idsOf(await wholesale(line, { filters: { postal_areas: areas({ system: 'us_zip' }) } })),
    )
  })

  test('are ordered on a product that offers them', async () => {
    const filters = { required_geo_targeting: [{ level: 'postal_area', system: 'us_zip' }], is_fixed_price: true }
    const [product] = await wholesale(line, { filters })
    const geo_postal_areas = areas({ country: 'US', system: 'zip' })
    const { data } = await agent.ask(line, 'create_media_buy', {
      account: { brand: { domain: 'acmeoutdoor.example' }, operator: 'pinnacle-agency.example', sandbox: true },
      brand: { domain: 'acmeoutdoor.example' },
      start_time: '2026-04-01T00:00:00Z',
      end_time: '2026-05-01T00:00:00Z',
      packages: [
        {
          product_id: product.product_id,
          pricing_option_id: product.pricing_options[0].pricing_option_id,
          budget: 50_000,
          targeting_overlay: { geo_postal_areas },
        },
      ],
    })
    expect(data.errors, JSON.stringify(data)).toBeUndefined()
    expect(data.packages[0].targeting_overlay.geo_postal_areas).toEqual(geo_postal_areas)
  })
})
