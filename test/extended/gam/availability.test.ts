import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const NOW = '2026-03-01T12:00:00Z'
const DATES = { start_date: '2026-04-01', end_date: '2026-04-10' }
const FLIGHT = { start_time: '2026-04-01T00:00:00Z', end_time: '2026-04-11T00:00:00Z' }
const forecast = {
  points: [{ metrics: { impressions: { low: 2_900_000, mid: 3_000_000, high: 3_000_000 } } }],
  ...{ forecast_range_unit: 'availability' as const, method: 'modeled' as const, currency: 'USD' },
}
const plain = productDocument('plain', {}, { targeting: { geo: ['countries', 'metro:nielsen_dma'] } })
const news = productDocument(
  'news',
  { forecast, delivery_type: 'guaranteed' },
  { daily_capacity: 100_000, approval: 'automatic' },
)

describe.skipIf('reason' in found)('what a network of Google Ad Manager has left reaches its buyers', () => {
  let emulator: GamEmulator | undefined
  let agent: MediaBuyAgent | undefined
  const seller = () => {
    if (!agent) throw new Error('the agent does not run')
    return agent
  }

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { trafficPerUnit: 10_000, now: NOW })
    const place = { adUnits: ['1'], sizes: ['300x250'] }
    const products = { news: place, plain: place }
    const backend = emulator.backend({ products }, () => new Date(NOW))
    agent = await startMediaBuyAgent([news, plain], { backend: { backend, drift: 'leave' } })
  }, PATIENCE)
  afterAll(async () => {
    await agent?.stop()
    await emulator?.close()
  })

  const shown = async (filters: object) => {
    const refine = [{ scope: 'product', product_id: 'news', action: 'include' }]
    const { data } = await seller().buyer.call('get_products', { buying_mode: 'refine', refine, filters })
    const [point] = data.products[0].forecast?.points ?? []
    return point && { label: point.label, mid: point.metrics.impressions.mid }
  }
  const order = (budget: number, targeting_overlay?: object) =>
    seller().create({
      ...FLIGHT,
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget, ...(targeting_overlay && { targeting_overlay }) }],
    })

  test('a place that the network does not have is refused when it is ordered, with its field', {
    timeout: PATIENCE,
  }, async () => {
    const inMetro = (code: string) => {
      const targeting_overlay = { geo_metros: [{ system: 'nielsen_dma', values: [code] }] }
      return seller().create({
        ...FLIGHT,
        packages: [{ product_id: 'plain', pricing_option_id: 'cpm', budget: 100, targeting_overlay }],
      })
    }
    const { isError, data } = await inMetro('999')
    expect(isError).toBe(true)
    expect(data.adcp_error).toMatchObject({
      ...{ code: 'UNSUPPORTED_FEATURE', field: expect.stringContaining('targeting_overlay.geo_metros') },
      message: expect.stringContaining('the network knows no DMA 999'),
    })
    expect((await inMetro('501')).isError).toBeFalsy()
    await emulator?.control({ faults: [{ kind: '500 before', path: 'geoTargets', count: 3 }] })
    expect((await inMetro('998')).isError).toBeFalsy()
    await emulator?.control({ faults: [] })
  })

  test('discovery shows it for the dates, and for the dates in a country', { timeout: PATIENCE }, async () => {
    expect(await shown(DATES)).toEqual({ label: '10 days, untargeted', mid: 100_000 })
    expect(await shown({ ...DATES, countries: ['DE'] })).toEqual({ label: '10 days, as targeted', mid: 10_000 })
  })

  test('an order for more is refused with the number, one that fits is taken', { timeout: PATIENCE }, async () => {
    const { data } = await seller().buyer.call('get_products', { buying_mode: 'wholesale' })
    const own = data.products.find(({ product_id: id }: { product_id: string }) => id === 'news')
    const cpm = own.pricing_options[0].fixed_price
    const inGermany = { geo_countries: ['DE'] }
    const refused = await order(11 * cpm, inGermany)
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.data)).toContain('"available_impressions":10000')
    // Each of the two fits, both together do not.
    const some = { product_id: 'news', pricing_option_id: 'cpm' }
    const both = [
      { ...some, budget: cpm, targeting_overlay: inGermany },
      { ...some, budget: 100 * cpm },
    ]
    const together = await seller().create({ ...FLIGHT, packages: both })
    expect(JSON.stringify(together.data)).toContain('100000 of the 101000 impressions fit')
    expect((await order(9 * cpm, inGermany)).isError).toBeFalsy()
    expect((await order(50 * cpm)).isError).toBeFalsy()
  })
})
