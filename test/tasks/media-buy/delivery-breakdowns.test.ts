import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from '../../support/buyer-data-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent

const EVERYTHING = {
  supports_audience_breakdown: true,
  supports_device_type_breakdown: true,
  supports_geo_breakdown: { country: true, region: true },
  supports_placement_breakdown: true,
}
const capabilities = (more: object) => ({
  available_reporting_frequencies: ['daily' as const],
  expected_delay_minutes: 240,
  timezone: 'UTC',
  supports_webhooks: false,
  available_metrics: ['impressions' as const, 'spend' as const],
  date_range_support: 'date_range' as const,
  ...more,
})

beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument(
      'news',
      {
        format_ids: [],
        reporting_capabilities: capabilities(EVERYTHING),
        placements: [
          { placement_id: 'top', name: 'Top of page' },
          { placement_id: 'side', name: 'Beside the text' },
        ],
      },
      {
        audiences: ['Adults 25-54', 'news readers'],
        coverage: { countries: ['DE', 'AT', 'CH'] },
        targeting: { geo: ['country'] },
      },
    ),
    productDocument('quiet', { format_ids: [], reporting_capabilities: capabilities({}) }, { coverage: { countries: ['DE'] } }),
  ])
  const audiences = [
    { audience_id: 'many', name: 'Subscribers', add: people(0, 600) },
    { audience_id: 'few', add: people(0, 200) },
  ]
  await agent.run('sync_audiences', { audiences })
})
afterAll(() => agent.stop())

type Row = Record<string, number | string>
const cents = (amount: unknown) => Math.round(Number(amount) * 100)

/** The packages of a buy with one package of each product after some days of its flight, with breakdowns. */
async function packagesWith(reporting_dimensions: object | undefined, targeting_overlay?: object, product = 'news') {
  agent.setClock('2026-03-01T12:00:00Z')
  const order = { product_id: product, pricing_option_id: 'cpm', budget: 777.77, ...(targeting_overlay && { targeting_overlay }) }
  const created = await agent.create({ packages: [order] })
  expect(created.data.errors).toBeUndefined()
  agent.setClock('2026-03-07T07:13:00Z')
  const args = { media_buy_ids: [created.data.media_buy_id], ...(reporting_dimensions && { reporting_dimensions }) }
  const { data } = await agent.buyer.call('get_media_buy_delivery', args)
  ignored = data.ext?.ignored_members
  return data.media_buy_deliveries[0].by_package[0]
}
/** What the last report says was asked for in vain. */
let ignored: readonly string[] | undefined

const ALL = { audience: {}, device_type: {}, geo: { geo_level: 'country' }, placement: {} }

describe('breakdowns of get_media_buy_delivery', () => {
  it('each dimension adds up to the package, to the impression and the cent', async () => {
    const pkg = await packagesWith(ALL)
    expect(pkg.impressions).toBeGreaterThan(0)
    for (const name of ['by_audience', 'by_device_type', 'by_geo', 'by_placement']) {
      const rows: Row[] = pkg[name]
      expect(rows.length, name).toBeGreaterThan(1)
      expect(pkg[`${name}_truncated`], name).toBe(false)
      expect(
        rows.reduce((sum, { spend }) => sum + cents(spend), 0),
        name,
      ).toBe(cents(pkg.spend))
      for (const metric of ['impressions', 'clicks']) {
        expect(
          rows.reduce((sum, row) => sum + Number(row[metric]), 0),
          `${name} ${metric}`,
        ).toBe(pkg[metric])
      }
    }
  })

  it('names the buyer’s audiences where the package targets them, by the people known of each', async () => {
    const { by_audience: rows } = await packagesWith({ audience: {} }, { audience_include: ['few', 'many'] })
    expect(rows).toMatchObject([
      { audience_id: 'many', audience_source: 'synced', audience_name: 'Subscribers' },
      { audience_id: 'few', audience_source: 'synced' },
    ])
    expect(rows[0].impressions / rows[1].impressions).toBeCloseTo(3, 1)
  })

  it('names the publisher’s segments elsewhere, and who is unknown', async () => {
    const { by_audience: rows } = await packagesWith({ audience: {} })
    expect(rows.map(({ audience_id, audience_source }: Row) => `${audience_source} ${audience_id}`).sort()).toEqual([
      'platform Adults 25-54',
      'platform news readers',
      'unknown unknown',
    ])
  })

  it('shows only devices and places that the package targets', async () => {
    const overlay = { device_type: ['desktop', 'tablet'], geo_countries: ['AT', 'CH'] }
    const pkg = await packagesWith(ALL, overlay)
    expect(pkg.by_device_type.map(({ device_type }: Row) => device_type)).toEqual(['desktop', 'tablet'])
    expect(pkg.by_geo.map(({ geo_level, geo_code }: Row) => `${geo_level} ${geo_code}`).sort()).toEqual([
      'country AT',
      'country CH',
    ])
  })

  it('gives as many rows as asked for, the largest first, and says that it cut', async () => {
    const all = await packagesWith({ device_type: { sort_by: 'impressions' } })
    expect(all.by_device_type.map(({ device_type }: Row) => device_type)).toEqual(['mobile', 'desktop', 'tablet'])
    const pkg = await packagesWith({ device_type: { limit: 1, sort_by: 'engagements' } })
    expect(pkg.by_device_type).toHaveLength(1)
    expect(pkg).toMatchObject({ by_device_type: [{ device_type: 'mobile' }], by_device_type_truncated: true })
  })

  it.each([
    ['nothing was asked for', undefined, 'news'],
    ['the product does not declare them', ALL, 'quiet'],
    ['the level is not supported', { geo: { geo_level: 'metro', system: 'nielsen_dma' } }, 'news'],
    ['the package is bound to no regions', { geo: { geo_level: 'region' } }, 'news'],
  ])('has none where %s', async (_case, dimensions, product) => {
    const pkg = await packagesWith(dimensions, undefined, product)
    expect(pkg.impressions).toBeGreaterThan(0)
    expect(Object.keys(pkg).filter((name) => name.startsWith('by_'))).toEqual([])
    expect(ignored).toEqual(dimensions && Object.keys(dimensions).map((name) => `reporting_dimensions.${name}`))
  })

  it('names what no package is broken down by, and nothing that some is', async () => {
    const pkg = await packagesWith({ geo: { geo_level: 'country' }, device_platform: {} })
    expect(pkg.by_geo.length).toBeGreaterThan(1)
    expect(ignored).toEqual(['reporting_dimensions.device_platform'])
  })
})
