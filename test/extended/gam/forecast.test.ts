import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AvailabilityQuery } from '../../../src/ad-serving/ad-server.ts'
import { HeldInventory } from '../../../src/domain/media-buy/held-inventory.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { gamOrder, takeSteps } from '../../support/gam-order.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
/** Ad requests of one ad unit on a day. */
const TRAFFIC = 10_000
const TEN_DAYS = { startsAt: '2026-07-01T00:00:00.000Z', endsAt: '2026-07-11T00:00:00.000Z' }

describe.skipIf('reason' in found)('forecasts of a network of Google Ad Manager', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const forecast = async (impressions: number, flight = TEN_DAYS, options = {}, narrowed: Partial<AvailabilityQuery> = {}) => {
    const held = new HeldInventory(new Map())
    const query = { productId: 'homepage', flight, impressions, dailyCapacity: 1_000_000, held, ...narrowed }
    const [answer] = await network().backend(options).forecast('acme', [query])
    return answer
  }

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { trafficPerUnit: TRAFFIC })
  }, PATIENCE)
  afterAll(() => emulator?.close())

  test('availability is no more than the traffic that the network expects', { timeout: PATIENCE }, async () => {
    expect(await forecast(100_000)).toEqual({ productId: 'homepage', available: 100_000, sufficient: true })
    expect(await forecast(100_001)).toEqual({ productId: 'homepage', available: 100_000, sufficient: false })
    expect(await forecast(100_001, TEN_DAYS, { overbook: true })).toMatchObject({ sufficient: true })
  })

  test('what is sold there is taken off, and the delivery of its lines is forecast', { timeout: PATIENCE }, async () => {
    const wanted = gamOrder('sold')
    const settings = { ...SETTINGS, ...TEN_DAYS, priority: 'guaranteed' as const, goalImpressions: 40_000 }
    const order = { ...wanted, lines: wanted.lines.slice(0, 1).map((line) => ({ ...line, settings })) }
    const backend = network().backend()
    expect(await takeSteps(backend, order)).toBe(0)
    expect(await forecast(60_000)).toEqual({ productId: 'homepage', available: 60_000, sufficient: true })
    expect(await forecast(60_001)).toMatchObject({ sufficient: false })
    expect(await backend.forecastDelivery?.(order.key)).toEqual([
      { lineExternalId: 'sold_pkg_1', unit: 'IMPRESSIONS', goal: 40_000, delivered: 0, predicted: 40_000 },
    ])
  })

  test('a targeting that lines can have narrows what is available, and the answer says so', { timeout: PATIENCE }, async () => {
    const targeting = {
      geo_countries: ['DE'],
      frequency_cap: { max_impressions: 3, window: { interval: 1, unit: 'days' as const } },
    }
    expect(await forecast(1, TEN_DAYS, {}, { targeting })).toEqual({
      ...{ productId: 'homepage', available: 6_000, sufficient: true, forTargeting: true },
    })
    expect(await forecast(6_001, TEN_DAYS, {}, { targeting })).toMatchObject({ available: 6_000, sufficient: false })
    const unmapped = { ...targeting, keyword_targets: [{ keyword: 'shoes', match_type: 'broad' as const }] }
    expect(await forecast(1, TEN_DAYS, {}, { targeting: unmapped })).toEqual({
      ...{ productId: 'homepage', available: 60_000, sufficient: true },
    })
    const unknown = forecast(1, TEN_DAYS, {}, { targeting: { geo_countries: ['XX'] } })
    await expect(unknown).rejects.toThrow('targeting_overlay.geo_countries: the network knows no country "XX"')
  })

  test('its quota leaves it at the traffic, whose days beyond the forecast count as the mean, and then at the capacity', {
    timeout: PATIENCE,
  }, async () => {
    const later = { startsAt: '2026-08-20T00:00:00.000Z', endsAt: '2026-09-09T00:00:00.000Z' }
    const path = 'ForecastService'
    await network().control({ faults: [{ kind: 'soap ForecastError.NO_FORECAST_YET', path, count: 1 }] })
    expect(await forecast(1, later)).toMatchObject({ available: 20 * TRAFFIC })
    const quota = { kind: 'soap QuotaError.EXCEEDED_QUOTA', path, count: 2 }
    await network().control({ faults: [quota] })
    expect(await forecast(1)).toMatchObject({ available: 60_000 })
    const faults = [
      { ...quota, count: 3 },
      { kind: '500 before', path: 'runTrafficData', count: 3 },
    ]
    await network().control({ faults })
    expect(await forecast(1_000_000)).toEqual({ productId: 'homepage', available: 10_000_000, sufficient: true })
  })
})
