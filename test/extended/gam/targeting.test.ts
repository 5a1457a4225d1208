import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DesiredOrder, LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { gamOrder, takeSteps } from '../../support/gam-order.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const OPTIONS = { places: { 'US-CA': '21137' }, audiences: { runners: '88' } }
type Targeting = LineSettings['targeting']

describe.skipIf('reason' in found)('targeting of lines in a network of Google Ad Manager', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const open = () => network().backend(OPTIONS)
  const targeted = (id: string, targeting: Targeting): DesiredOrder => {
    const order = gamOrder(id)
    return { ...order, lines: order.lines.slice(0, 1).map((line) => ({ ...line, settings: { ...line.settings, targeting } })) }
  }
  const lineOf = async (id: string) =>
    (await network().control()).lineItems.find(({ externalLineItemId }) => externalLineItemId === `${id}_pkg_1`)
  const all = (kind: string, ids: readonly (string | number)[]) => ids.map((id) => `networks/4711/${kind}/${id}`)

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  const CASES: readonly (readonly [string, NonNullable<Targeting>, object])[] = [
    [
      'a region of a country, without another',
      { geo_countries: ['US'], geo_regions: ['US-CA'], geo_countries_exclude: ['FR'] },
      { geoTargeting: { targetedGeos: all('geoTargets', [21137]), excludedGeos: all('geoTargets', [2250]) } },
    ],
    [
      'a metro',
      { geo_metros: [{ system: 'nielsen_dma', values: ['501'] }] },
      { geoTargeting: { targetedGeos: all('geoTargets', [200501]) } },
    ],
    [
      'postal codes, of which another country has the same',
      {
        geo_postal_areas: [
          { system: 'us_zip', values: ['10001'] },
          { system: 'de_plz', values: ['10115'] },
        ],
      },
      { geoTargeting: { targetedGeos: all('geoTargets', [9004001, 9041001]) } },
    ],
    [
      'operating systems and languages',
      { device_platform: ['windows', 'ios'], language: ['zh'] },
      {
        technologyTargeting: {
          operatingSystemTargeting: { targetedOperatingSystems: all('operatingSystems', [501014, 501015, 501012]) },
          browserLanguageTargeting: { targetedBrowserLanguages: all('browserLanguages', [504002, 504003]) },
        },
      },
    ],
    [
      'an audience',
      { audience_include: ['runners'] },
      {
        customTargeting: {
          customTargetingClauses: [{ audienceSegmentTargetings: [{ audienceSegments: all('audienceSegments', [88]) }] }],
        },
      },
    ],
  ]

  test.each(CASES)(
    '%s: written, read back, changed and seen when a person changes it',
    { timeout: PATIENCE },
    async (name, targeting, there) => {
      const id = name.replaceAll(/\W/g, '_')
      expect(await takeSteps(open(), targeted(id, targeting))).toBe(0)
      expect(await takeSteps(open(), targeted(id, targeting), 0)).toBe(0)
      const line = await lineOf(id)
      expect(line?.targeting).toMatchObject(there)

      const plain = targeted(id, { geo_countries: ['DE'] })
      expect(await takeSteps(open(), plain, 0)).toBe(1)
      await takeSteps(open(), plain)
      expect(await takeSteps(open(), plain, 0)).toBe(0)

      await network().control({ set: { name: String(line?.name), targeting: line?.targeting } })
      expect(await takeSteps(open(), plain, 0)).toBe(1)
      await takeSteps(open(), plain)
      expect(await takeSteps(open(), plain, 0)).toBe(0)
    },
  )

  test.each<[string, NonNullable<Targeting>, string]>([
    ['a metro', { geo_metros: [{ system: 'nielsen_dma', values: ['999'] }] }, 'geo_metros: the network knows no DMA 999'],
    [
      'a postal code',
      { geo_postal_areas: [{ system: 'de_plz', values: ['10001'] }] },
      'geo_postal_areas: the network knows no 10001 in DE',
    ],
    ['a system', { device_platform: ['roku_os'] }, 'device_platform: the network knows no roku_os'],
  ])('%s that the network does not have is refused, with the field', { timeout: PATIENCE }, async (_what, targeting, message) => {
    const id = message.replaceAll(/\W/g, '_')
    await expect(takeSteps(open(), targeted(id, targeting))).rejects.toThrow(`targeting_overlay.${message}`)
  })

  test('exclusions, browsers, positions and bundles of a product are on its lines', { timeout: PATIENCE }, async () => {
    const product = {
      ...{ adUnits: ['1'], excludedAdUnits: ['3'], sizes: ['640x480'], video: true },
      ...{ browsers: ['500072'], videoPositions: ['PREROLL', 'MIDROLL'], contentBundles: ['9'] },
    }
    const at = (homepage: object) => network().backend({ products: { homepage } })
    const wanted = targeted('product', { language: ['de'] })
    const daily = targeted('product', {
      language: ['de'],
      daypart_targets: [{ days: ['monday'], start_hour: 6, end_hour: 9 }],
    })
    const there = {
      inventoryTargeting: { excludedAdUnits: [{ adUnit: 'networks/4711/adUnits/3', includeDescendants: true }] },
      technologyTargeting: { browserTargeting: { targetedBrowsers: all('browsers', [500072]) } },
      contentTargeting: { targetedContentBundles: all('contentBundles', [9]) },
      videoPositionTargeting: { videoPositions: [{ positionType: 'PREROLL' }, { positionType: 'MIDROLL' }] },
    }
    // With hours the SOAP API writes the same.
    for (const order of [wanted, daily]) {
      await takeSteps(at(product), order)
      expect(await takeSteps(at(product), order, 0)).toBe(0)
      expect((await lineOf('product'))?.targeting).toMatchObject(there)
    }
    const line = await lineOf('product')
    const { contentTargeting: _bundles, videoPositionTargeting: _positions, ...targeting } = there
    await network().control({ set: { name: String(line?.name), targeting: { ...targeting } } })
    const [seen] = (await at(product).observe(daily.key))?.lines ?? []
    expect(seen?.others?.map(({ field }) => field)).toEqual(expect.arrayContaining(['videoPositions', 'contentBundles']))
    await takeSteps(at(product), daily)
    expect((await lineOf('product'))?.targeting).toMatchObject(there)

    const early = { ...product, videoPositions: ['PREROLL'] }
    await takeSteps(at(early), {
      ...daily,
      lines: daily.lines.map((each) => ({ ...each, settings: { ...each.settings, budgetMicros: 6_000_000_000 } })),
    })
    expect((await lineOf('product'))?.targeting).toMatchObject({
      videoPositionTargeting: { videoPositions: [{ positionType: 'PREROLL' }] },
    })
  })

  test('what the options do not map is not offered', () => {
    const { targeting } = network().backend().capabilities
    expect(targeting).toContain('geo_metros')
    expect(targeting).not.toContain('geo_regions')
    expect(targeting).not.toContain('audience_include')
    expect(open().capabilities.targeting).toEqual(expect.arrayContaining(['geo_regions', 'audience_include']))
  })
})
