import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runStep } from '../../../src/ad-serving/reconcile/run-step.ts'
import type { DesiredCreative, DesiredLine } from '../../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../../src/domain/ad-serving/diff.ts'
import { HeldInventory } from '../../../src/domain/media-buy/held-inventory.ts'
import type { OutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { BANNER, line, order, SETTINGS } from '../../support/ad-server-orders.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { withFiles } from '../../support/gam-files.ts'
import { findJava, judge, judgeClasses } from '../../support/java.ts'
import { findPython } from '../../support/python.ts'

const python = await findPython()
const java = await findJava()
const reason = 'reason' in python ? python.reason : java.reason
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (reason !== undefined) console.log(`Google's client for Java does not judge: ${reason}.`)

const PATIENCE = 300_000
const creative = (externalId: string, assets: DesiredCreative['assets']): DesiredCreative => ({ ...BANNER, externalId, assets })
const CREATIVES = [
  BANNER,
  creative('tag', {
    html: { asset_type: 'html', content: '<b a="1">&amp; ü</b>' },
    pixel: { asset_type: 'url', url: 'https://count.example.com/i?a=1&b=2', url_type: 'tracker_pixel' },
  }),
  creative('zip', { zip: { asset_type: 'zip', url: 'https://cdn.example.com/ad.zip' } }),
  creative('vast', {
    vast: { asset_type: 'vast', url: 'https://video.example.com/tag', duration_ms: 15_000 },
    pixel: { asset_type: 'url', url: 'https://count.example.com/v', url_type: 'tracker_pixel' },
  }),
  creative('video', {
    video: { asset_type: 'video', url: 'https://cdn.example.com/a.mp4', width: 640, height: 480, duration_ms: 30_000 },
    click: { asset_type: 'url', url: 'https://shop.example.com/', url_type: 'clickthrough' },
  }),
  {
    ...creative('card', {
      headline: { asset_type: 'text', content: 'Shoes' },
      image: { asset_type: 'image', url: 'https://cdn.example.com/a.png', width: 300, height: 250 },
    }),
    formatId: { ...BANNER.formatId, id: 'card' },
  },
]
const isStill = ({ creativeExternalId: id }: { readonly creativeExternalId: string }) => id !== 'vast' && id !== 'video'
const OPTIONS = {
  ...{ creatives: 'api', soapVersion: 'v202508', audiences: { runners: '88' }, overbook: true },
  creativeTemplates: { card: { template: '77', variables: { title: 'Headline', image: 'Image' } } },
  products: {
    homepage: {
      ...{ adUnits: ['1'], placements: ['1'], sizes: ['300x250'], keyValues: [{ key: '7', values: ['71'] }] },
      ...{ excludedAdUnits: ['3'], browsers: ['500072'] },
      ...{ labels: ['5'], customFields: { '12': { option: '7' }, '13': 2.5 } },
    },
    player: { adUnits: ['2'], sizes: ['640x480'], video: true, videoPositions: ['MIDROLL'], contentBundles: ['9'] },
  },
}
const HOURS = { daypart_targets: [{ days: ['saturday' as const], start_hour: 18, end_hour: 24 }] }
/** Everything that a targeting of a buyer is written with. */
const TARGETING: NonNullable<DesiredLine['settings']['targeting']> = {
  ...{ geo_countries: ['DE'], geo_countries_exclude: ['FR'], device_type: ['desktop'] },
  ...{ device_platform: ['ios'], language: ['de'], audience_include: ['runners'] },
  frequency_cap: { max_impressions: 3, window: { interval: 2, unit: 'days' } },
  ...HOURS,
}

describe.skipIf(reason !== undefined)("Google's generated client for Java", () => {
  const folder = mkdtempSync(join(tmpdir(), 'gam-java-'))
  const sent: string[] = []
  let emulator: GamEmulator | undefined
  let classes = ''
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const recorded =
    (call: OutboundCall): OutboundCall =>
    async (url, request) => {
      if (url.includes('/apis/ads/publisher/')) {
        const file = join(folder, `${sent.length}.xml`)
        writeFileSync(file, request.body ?? '')
        sent.push(file)
      }
      return withFiles(call)(url, request)
    }

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in python ? python.python : '')
    classes = await judgeClasses('gam-java')
    const backend = emulator.backend(OPTIONS, undefined, recorded)
    const associations = CREATIVES.map(({ externalId }, at) => ({
      ...{ creativeExternalId: externalId, weight: at === 0 ? 50 : null, placementIds: null },
    }))
    const [still, moving] = [associations.filter(isStill), associations.filter((each) => !isStill(each))]
    const { startsAt, endsAt, budgetMicros } = SETTINGS
    const desired = order({
      key: { tenantId: 'acme', externalId: 'java' },
      settings: { name: 'java', advertiserId: 'acc_1', currency: 'USD', budgetMicros: budgetMicros * 2, startsAt, endsAt },
      lines: [
        line('java_pkg', { settings: { ...SETTINGS, priority: 'guaranteed', targeting: TARGETING }, associations: still }),
        line('java_video', { settings: { ...SETTINGS, productId: 'player', targeting: HOURS }, associations: moving }),
      ],
      creatives: CREATIVES,
    })
    for (const step of diff(desired, await backend.observe(desired.key), backend.capabilities))
      await runStep(backend, desired.key, step)
    // Off the line again, so that every call is made.
    await backend.associate(desired.key, { externalId: 'java_pkg' }, still.slice(0, 1))
    await backend.observe(desired.key)
    const flight = { startsAt: '2026-07-01T06:30:00.000Z', endsAt: '2026-08-01T00:00:00.000Z' }
    const held = new HeldInventory(new Map())
    // A network that overbooks is asked for no forecast.
    await emulator
      .backend({ ...OPTIONS, overbook: false }, undefined, recorded)
      .forecast('acme', [
        { productId: 'homepage', flight, impressions: 500, dailyCapacity: 1_000_000, held, targeting: TARGETING },
      ])
  }, PATIENCE)
  afterAll(async () => {
    await emulator?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('decodes every element of our requests, in the order of the schema', { timeout: PATIENCE }, async () => {
    const lines = await judge(classes, ['decode', ...sent])
    const of = (start: string) => lines.filter((each) => each.startsWith(start)).join('\n')
    const made = of('createCreatives')
    for (const type of [
      'ImageCreative',
      'ThirdPartyCreative',
      'Html5Creative',
      'VastRedirectCreative',
      'VideoRedirectCreative',
      'TemplateCreative',
    ])
      expect(made).toContain(`createCreatives ${type}{`)
    expect(made).toContain('snippet=<b a="1">&amp; ü</b>')
    expect(made).toContain('thirdPartyImpressionTrackingUrls=[https://count.example.com/i?a=1&b=2]')
    expect(made).toContain('primaryImageAsset=CreativeAsset{assetByteArray=9 bytes, fileName=a.png}')
    expect(made).toContain('vastRedirectType=LINEAR')
    expect(made).toContain('mimeType=VIDEO_MP4')
    expect(made).toContain('UrlCreativeTemplateVariableValue{uniqueName=Image, value=https://cdn.example.com/a.png}')
    expect(made).toContain('CREATIVE_VIEW')
    expect(of('createLineItemCreativeAssociations')).toMatch(/manualCreativeRotationWeight=50\.0/)
    expect(of('perform')).toMatch(/WHERE lineItemId = \d+ AND creativeId IN \(\d+(, \d+){2}\)/)
    expect(of('getCreativesByStatement')).toMatch(/WHERE id IN/)
    const forecast = of('getAvailabilityForecast LineItem{')
    for (const part of [
      'startDateTime=DateTime{date=Date{day=1, month=7, year=2026}, hour=6, minute=30, second=0, timeZoneId=Etc/UTC}',
      'startDateTimeType=USE_START_DATE_TIME',
      'frequencyCaps=[FrequencyCap{maxImpressions=3, numTimeUnits=2, timeUnit=DAY}]',
      'lineItemType=STANDARD',
      'size=Size{height=250, isAspectRatio=false, width=300}',
      'primaryGoal=Goal{goalType=LIFETIME, unitType=IMPRESSIONS, units=500}',
      'geoTargeting=GeoTargeting{excludedLocations=[Location{id=2250}], targetedLocations=[Location{id=2276}]}',
      'targetedAdUnits=[AdUnitTargeting{adUnitId=1, includeDescendants=true}], targetedPlacementIds=[1]',
      'deviceCategoryTargeting=DeviceCategoryTargeting{targetedDeviceCategories=[Technology{id=30000}]}',
      'CustomCriteria{keyId=7, operator=IS, valueIds=[71]}',
      'AudienceSegmentCriteria{audienceSegmentIds=[88], operator=IS}], logicalOperator=AND',
      'operatingSystemTargeting=OperatingSystemTargeting{isTargeted=true, operatingSystems=[Technology{id=501012}]}',
      'browserLanguageTargeting=BrowserLanguageTargeting{browserLanguages=[Technology{id=504001}], isTargeted=true}',
    ])
      expect(forecast).toContain(part)

    // The line as it was read, with what it was read with, and the hours.
    const written = of('updateLineItems LineItem{')
    for (const part of [
      'allowOverbook=true',
      'appliedLabels=[AppliedLabel{isNegated=false, labelId=5}]',
      'costPerUnit=Money{currencyCode=USD, microAmount=10000000}',
      'DropDownCustomFieldValue{customFieldId=12, customFieldOptionId=7}',
      'CustomFieldValue{customFieldId=13, value=',
      'dayPartTargeting=DayPartTargeting{dayParts=[DayPart{dayOfWeek=SATURDAY, endTime=TimeOfDay{hour=24, minute=ZERO}, startTime=TimeOfDay{hour=18, minute=ZERO}}], timeZone=PUBLISHER}',
      'frequencyCaps=[FrequencyCap{maxImpressions=3, numTimeUnits=2, timeUnit=DAY}]',
      'primaryGoal=Goal{goalType=LIFETIME, unitType=IMPRESSIONS, units=500000}',
      'excludedAdUnits=[AdUnitTargeting{adUnitId=3, includeDescendants=true}]',
      'browserTargeting=BrowserTargeting{browsers=[Technology{id=500072}], isTargeted=true}',
      'contentTargeting=ContentTargeting{targetedVideoContentBundleIds=[9]}',
      'videoPositionTargeting=VideoPositionTargeting{targetedPositions=[VideoPositionTarget{videoPosition=VideoPosition{positionType=MIDROLL}}]}',
    ])
      expect(written).toContain(part)
  })

  test('writes, associates, reads and is refused at the emulated network', { timeout: PATIENCE }, async () => {
    const { orders, lineItems } = await network().control()
    const own = lineItems.find(({ externalLineItemId }) => externalLineItemId === 'java_pkg')
    const advertiser = orders.find(({ name }) => name === own?.order)?.advertiser
    const idIn = (name: unknown) => String(name).split('/').at(-1) ?? ''
    const lines = await judge(classes, ['client', network().plain, '4711', idIn(own?.name), idIn(advertiser)])
    expect(lines[0]).toContain('destinationUrl=https://shop.example.com/?a=1&b=2')
    expect(lines[0]).toContain('name=By a person & <Java>')
    expect(lines.slice(1)).toEqual([
      'associated ACTIVE',
      `read ${CREATIVES.filter(({ externalId }) => isStill({ creativeExternalId: externalId })).length + 1}`,
      'deactivated 1',
      expect.stringMatching(/^forecast AvailabilityForecast\{availableUnits=10000000, .*matchedUnits=10000000/),
      expect.stringContaining('hours DayPartTargeting{dayParts=[DayPart{dayOfWeek=SATURDAY, '),
      expect.stringContaining(
        'given DayPartTargeting{dayParts=[DayPart{dayOfWeek=MONDAY, endTime=TimeOfDay{hour=9, minute=THIRTY}',
      ),
      'refused CommonError.NOT_FOUND creatives[0].advertiserId',
    ])
  })
})
