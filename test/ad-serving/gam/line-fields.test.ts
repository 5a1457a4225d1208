import { describe, expect, test } from 'vitest'
import type { Message } from '../../../src/ad-serving/gam/client.ts'
import { comparable, completed } from '../../../src/ad-serving/gam/compared-line.ts'
import { readGamOptions } from '../../../src/ad-serving/gam/gam-options.ts'
import { fieldsOf, requireGamKeepable } from '../../../src/ad-serving/gam/line-fields.ts'
import type { Lookups } from '../../../src/ad-serving/gam/lookups.ts'
import { moneyOf } from '../../../src/ad-serving/gam/messages.ts'
import { observedLine } from '../../../src/ad-serving/gam/observed-line.ts'
import { orderAnchor } from '../../../src/ad-serving/gam/order-anchor.ts'
import type { LineSettings } from '../../../src/domain/ad-serving/desired-order.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'

const NETWORK = 'networks/1'
const LOOKUPS: Lookups = {
  currency: async () => 'EUR',
  timeZone: async () => 'Europe/Berlin',
  trafficker: async () => `${NETWORK}/users/1`,
  advertiser: async () => `${NETWORK}/companies/1`,
  countries: async (codes) => codes.map((code) => `${NETWORK}/geoTargets/${code}`),
  countryCode: async (name) => name.slice(-2),
  region: async (code) => `${NETWORK}/geoTargets/${code}`,
  metro: async (code) => `${NETWORK}/geoTargets/200${code}`,
  postalCodes: async (country, codes) => codes.map((code) => `${NETWORK}/geoTargets/${country}${code}`),
  devices: async () => new Map([['desktop', `${NETWORK}/deviceCategories/30000`]]),
  operatingSystems: async () =>
    new Map(['apple ios', 'microsoft windows 10', 'microsoft windows 11'].map((name) => [name, name])),
  languages: async () => new Map(['german', 'chinese (simplified)', 'chinese (traditional)'].map((name) => [name, name])),
  segment: (id) => `${NETWORK}/audienceSegments/${id}`,
}
/** Where a line is, and where it is not. */
const geos = (targeted: readonly string[], excluded: readonly string[] = []) => {
  const names = (ids: readonly string[]) => ids.map((id) => `${NETWORK}/geoTargets/${id}`)
  return { targeting: { geoTargeting: { targetedGeos: names(targeted), excludedGeos: names(excluded) } } }
}
const options = readGamOptions({
  network: '1',
  products: {
    homepage: { adUnits: ['5'], sizes: ['300x250', '970x250'] },
    share: {
      adUnits: ['6'],
      sizes: ['300x250'],
      share: 25,
      priority: 13,
      bulk: true,
      labels: ['5'],
      roadblocking: 'AS_MANY_AS_POSSIBLE',
    },
  },
})
const parts = { client: { network: NETWORK }, options, lookups: LOOKUPS, clock: () => new Date('2026-06-01T00:00:00Z') }
const fields = (change: Partial<LineSettings> = {}) => fieldsOf('pkg_1', { ...SETTINGS, ...change }, parts)

describe('settings of a line as members of a line item', () => {
  test('a takeover shows as many of its creatives as there are places', async () => {
    expect(await fields()).toMatchObject({ roadblockingType: 'ONE_OR_MORE' })
    expect(await fields({ productId: 'share' })).toMatchObject({ roadblockingType: 'AS_MANY_AS_POSSIBLE' })
    const set = { takeover: { adUnits: ['5'], sizes: ['300x250'], roadblocking: 'CREATIVE_SET' } }
    expect(() => readGamOptions({ network: '1', products: set })).toThrow('options.products.takeover.roadblocking must be')
  })

  test('price, goal, pace, priority and flight', async () => {
    expect(await fields()).toMatchObject({
      startTime: '2026-07-01T00:00:00.000Z',
      targetEndTime: '2026-08-01T00:00:00.000Z',
      lineItemType: 'PRICE_PRIORITY',
      costType: 'CPM',
      rate: { currencyCode: 'EUR', units: '10', nanos: 0 },
      goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '500000' },
      deliveryRateType: 'EVENLY',
      environmentType: 'BROWSER',
      creativePlaceholders: [{ size: { width: 300, height: 250, sizeType: 'PIXEL' } }, { size: { width: 970, height: 250 } }],
    })
  })

  test.each<[string, Partial<LineSettings>, object]>([
    [
      'a guaranteed goal',
      { priority: 'guaranteed', goalImpressions: 1000 },
      { lineItemType: 'STANDARD', goal: { units: '1000' } },
    ],
    ['a goal that the budget does not buy', { goalImpressions: 900_000 }, { goal: { units: '500000' } }],
    [
      'clicks',
      { price: { model: 'cpc', basis: 'fixed', rateMicros: 2_500_000 } },
      { costType: 'CPC', goal: { unitType: 'CLICKS', units: '2000' } },
    ],
    // It competes with its bid, and its budget buys what it buys at the rate that is charged.
    [
      'a bid',
      { price: { model: 'cpm', basis: 'auction', rateMicros: 2_500_000, bidMicros: 5_000_000 } },
      { rate: { units: '5' }, goal: { units: '2000000' } },
    ],
    [
      'viewable impressions',
      { priority: 'guaranteed', price: { model: 'vcpm', basis: 'fixed', rateMicros: 10_000_000 } },
      { costType: 'VCPM', goal: { unitType: 'VIEWABLE_IMPRESSIONS' } },
    ],
    [
      'devices and a cap',
      {
        targeting: {
          device_type: ['desktop'],
          frequency_cap: { max_impressions: 3, per: 'devices', window: { interval: 2, unit: 'days' } },
        },
      },
      {
        targeting: {
          technologyTargeting: { deviceCategoryTargeting: { targetedCategories: [`${NETWORK}/deviceCategories/30000`] } },
        },
        frequencyCaps: [{ maxImpressions: '3', timeAmount: '2', timeUnit: 'DAY' }],
      },
    ],
    [
      'a guaranteed flat price',
      { priority: 'guaranteed', price: { model: 'flat_rate', basis: 'fixed', rateMicros: 3_100_000_000 } },
      {
        lineItemType: 'SPONSORSHIP',
        costType: 'CPD',
        rate: { units: '100' },
        goal: { goalType: 'DAILY', unitType: 'IMPRESSIONS', units: '100' },
        priority: '4',
      },
    ],
    [
      'another flat price',
      { productId: 'share', price: { model: 'flat_rate', basis: 'fixed', rateMicros: 3_100_000_000 } },
      {
        lineItemType: 'NETWORK',
        goal: { goalType: 'DAILY', units: '25' },
        priority: '13',
        appliedLabels: [{ label: `${NETWORK}/labels/5` }],
      },
    ],
    ['bulk', { productId: 'share' }, { lineItemType: 'BULK', costType: 'CPM', goal: { goalType: 'LIFETIME', units: '500000' } }],
    ['regions', { targeting: { geo_countries: ['US'], geo_regions: ['US-CA', 'CA-BC'] } }, geos(['US-CA'])],
    [
      'metros and postal codes, excluded',
      {
        targeting: {
          geo_countries_exclude: ['FR'],
          geo_metros_exclude: [{ system: 'nielsen_dma', values: ['501'] }],
          geo_postal_areas_exclude: [{ system: 'us_zip', values: ['10001'] }],
        },
      },
      geos([], ['FR', '200501', 'US10001']),
    ],
    [
      'postal codes of two countries',
      {
        targeting: {
          geo_postal_areas: [
            { system: 'us_zip', values: ['10001'] },
            { system: 'de_plz', values: ['10115'] },
          ],
        },
      },
      geos(['US10001', 'DE10115']),
    ],
    [
      'systems and languages',
      { targeting: { device_platform: ['windows'], language: ['zh', 'de'] } },
      {
        targeting: {
          technologyTargeting: {
            operatingSystemTargeting: { targetedOperatingSystems: ['microsoft windows 10', 'microsoft windows 11'] },
            browserLanguageTargeting: {
              targetedBrowserLanguages: ['chinese (simplified)', 'chinese (traditional)', 'german'],
            },
          },
        },
      },
    ],
    [
      'audiences',
      { targeting: { audience_include: ['a', 'b'], audience_exclude: ['c'] } },
      {
        targeting: {
          customTargeting: {
            customTargetingClauses: [
              {
                audienceSegmentTargetings: [
                  { audienceSegments: [`${NETWORK}/audienceSegments/a`, `${NETWORK}/audienceSegments/b`] },
                  { negative: true, audienceSegments: [`${NETWORK}/audienceSegments/c`] },
                ],
              },
            ],
          },
        },
      },
    ],
    ['a flight that has begun', { startsAt: '2026-05-01T00:00:00.000Z' }, { startTime: '2026-06-01T00:02:00.000Z' }],
  ])('%s', async (_what, change, expected) => {
    expect(await fields(change)).toMatchObject(expected)
  })

  test.each<[string, NonNullable<LineSettings['targeting']>, string]>([
    ['geo_regions', { geo_regions: ['US-NY'] }, 'the region US-NY is not mapped to its geo target; mapped are US-CA'],
    ['geo_metros', { geo_metros: [{ system: 'uk_itl1', values: ['UKI'] }] }, 'uk_itl1 UKI; the network has metros by'],
    ['geo_metros_exclude', { geo_metros_exclude: [{ system: 'nielsen_dma', values: ['5'] }] }, 'nielsen_dma 5; the network has'],
    [
      'geo_postal_areas',
      { geo_postal_areas: [{ system: 'gb_full', values: ['x'] }] },
      'gb_full; the network has postal codes of us_zip',
    ],
    [
      'geo_metros',
      { geo_regions: ['US-CA'], geo_metros: [{ system: 'nielsen_dma', values: ['501'] }] },
      'together with geo_regions; a line in Google Ad Manager is for places of one of them',
    ],
    ['geo_regions', { geo_countries: ['DE'], geo_regions: ['US-CA'] }, 'none of them is in DE (geo_countries)'],
    ['audience_include', { audience_include: ['unknown'] }, 'the audience unknown is not mapped to a segment'],
    ['device_platform', { device_platform: ['unknown'] }, 'the network knows no unknown; it knows ios, android'],
  ])('%s that no line can have is refused before anything is asked', (member, targeting, message) => {
    const keeps = { ...options, places: { 'US-CA': '21137' } }
    expect(() => requireGamKeepable(keeps, { ...SETTINGS, targeting })).toThrow(`targeting_overlay.${member}: ${message}`)
  })

  test.each<[string, Partial<LineSettings>, RegExp]>([
    ['a language that the network does not know', { targeting: { language: ['fr'] } }, /language: the network knows no fr/],
    ['a product without ad units', { productId: 'unknown' }, /options\.products has no "unknown"/],
    [
      'viewable impressions that are not guaranteed',
      { price: { model: 'vcpm', basis: 'fixed', rateMicros: 1 } },
      /needs guaranteed/,
    ],
    [
      'a price by rating point',
      { price: { model: 'cpp', basis: 'fixed', rateMicros: 1 } },
      /it keeps cpm, vcpm, cpc, cpcv, flat_rate/,
    ],
    [
      'a priority that its type cannot have',
      { productId: 'share', priority: 'guaranteed' },
      /the priority of a STANDARD line is 6 to 10, not 13/,
    ],
    ['a budget that buys nothing', { budgetMicros: 1 }, /buys no single unit/],
    ['a device that the network does not know', { targeting: { device_type: ['dooh'] } }, /knows no dooh/],
    [
      'a cap of people',
      { targeting: { frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'days' } } } },
      /counts devices and cookies/,
    ],
  ])('%s is refused', async (_what, change, message) => {
    await expect(fields(change)).rejects.toThrow(message)
  })
})

describe('a line item as we see it', () => {
  const there = async (change: Message = {}): Promise<Message> => ({
    ...(await fields()),
    name: `${NETWORK}/lineItems/9`,
    status: 'READY',
    notes: 'Call Ann.',
    ...change,
  })
  /** What we see of a line when someone changed it. */
  const seen = async (change: Message = {}, { orderPaused = false, completes = {} } = {}) => {
    const before = await there(completes)
    const written = completed(comparable(await fields()), comparable(before))
    const memo = { settings: SETTINGS, state: 'active' as const, written, since: '2026-06-01T00:00:00.000Z' }
    return observedLine({ ...before, ...change }, { externalId: 'pkg_1', memo, orderPaused, associations: [] }, LOOKUPS)
  }

  test('what we wrote is what we meant', async () => {
    expect(await seen()).toEqual({
      id: `${NETWORK}/lineItems/9`,
      externalId: 'pkg_1',
      state: 'active',
      settings: SETTINGS,
      associations: [],
    })
  })

  test.each<[string, Message, object]>([
    ['goal', { goal: { goalType: 'LIFETIME', unitType: 'IMPRESSIONS', units: '1000' } }, { budgetMicros: 10_000_000 }],
    ['rate', { rate: moneyOf(12_500_000, 'EUR') }, { price: { rateMicros: 12_500_000 } }],
    ['end', { targetEndTime: '2026-09-01T00:00:00Z' }, { endsAt: '2026-09-01T00:00:00.000Z' }],
    ['pace', { deliveryRateType: 'AS_FAST_AS_POSSIBLE' }, { pacing: 'asap' }],
    [
      'country',
      {
        targeting: {
          inventoryTargeting: { targetedAdUnits: [{ adUnit: `${NETWORK}/adUnits/5`, includeDescendants: true }] },
          geoTargeting: { targetedGeos: ['x/FR'] },
        },
      },
      { targeting: { geo_countries: ['FR'] } },
    ],
  ])('another %s is read back, the rest is as it was', async (_what, change, expected) => {
    const { settings } = await seen(change)
    expect({ ...SETTINGS, ...settings }).toMatchObject(expected)
    expect(Object.keys(settings).sort()).toEqual(Object.keys(SETTINGS).sort())
  })

  test('a label that a person puts on a line without labels is left alone', async () => {
    const line = await seen({ appliedLabels: [{ label: `${NETWORK}/labels/7` }] })
    expect([line.settings, line.others]).toEqual([SETTINGS, undefined])
  })

  test('a targeting that the network completes is no change', async () => {
    const { targeting } = await fields()
    const whole = {
      ...targeting,
      technologyTargeting: {},
      requestPlatformTargeting: { requestPlatforms: ['BROWSER'] },
    }
    const line = await seen({}, { completes: { targeting: whole } })
    expect([line.settings, line.others]).toEqual([SETTINGS, undefined])
  })

  test('a line of a paused order has the state that it was given', async () => {
    const status = 'PAUSED'
    expect([await seen({ status }, { orderPaused: true }), await seen({ status })]).toMatchObject([
      { state: 'active' },
      { state: 'paused' },
    ])
  })
})

describe('anchors', () => {
  test('an anchor fits into 32 bits, is positive, and differs by publisher', () => {
    const anchors = ['acme', 'other'].map((tenantId) => orderAnchor({ tenantId, externalId: 'buy_1' }))
    expect(new Set(anchors).size).toBe(2)
    expect(anchors.every((anchor) => Number.isInteger(anchor) && anchor > 0 && anchor <= 0x7fffffff)).toBe(true)
  })
})

test.each([
  [{}, /required property 'network'/],
  [{ network: 'abc' }, /options\.network must match/],
  [{ network: '1', products: { p: { sizes: ['300x250'] } } }, /required property 'adUnits'/],
  [
    { network: '1', products: { a: { adUnits: ['5', '6'], excludedAdUnits: ['6', '7'], sizes: ['1x1'] } } },
    /^options\.products\.a\.excludedAdUnits has 6, which adUnits sells; leave it out of one of the two/,
  ],
  [{ network: '1', colour: 'red' }, /additional properties \(colour\)/],
])('options %j are refused with the member', (given, message) => {
  expect(() => readGamOptions(given)).toThrow(message)
})
