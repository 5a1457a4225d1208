import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { runStep } from '../../../src/ad-serving/reconcile/run-step.ts'
import type { Association, DesiredCreative, DesiredOrder } from '../../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../../src/domain/ad-serving/diff.ts'
import { refusedCreatives } from '../../../src/domain/ad-serving/review.ts'
import { trafficName } from '../../../src/domain/ad-serving/trafficking.ts'
import type { OutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { BANNER, line, order, SETTINGS } from '../../support/ad-server-orders.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const ZIP = Buffer.from('an archive')
const LARGE = Buffer.alloc(1_000_001, 1)
const FILES: Readonly<Record<string, Buffer>> = {
  'https://cdn.example.com/a.png': Buffer.from('a picture'),
  'https://cdn.example.com/large.png': LARGE,
  'https://cdn.example.com/ad.zip': ZIP,
}
const CLICK = { asset_type: 'url', url: 'https://shop.example.com/?c={CACHEBUSTER}', url_type: 'clickthrough' }
const PIXEL = { asset_type: 'url', url: 'https://count.example.com/i?r={CACHEBUSTER}', url_type: 'tracker_pixel' }
const PRODUCTS = {
  homepage: { adUnits: ['1'], sizes: ['300x250'] },
  player: { adUnits: ['2'], sizes: ['640x480'], video: true },
}
const TEMPLATES = { card: { template: '77', variables: { title: 'Headline', body: 'Body', image: 'Image' } } }

const creativeOf = (externalId: string, assets: DesiredCreative['assets'], id = 'display_300x250'): DesiredCreative => ({
  ...BANNER,
  externalId,
  formatId: { ...BANNER.formatId, id },
  assets,
})

describe.skipIf('reason' in found)('creatives that are put into Google Ad Manager by its SOAP API', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const withFiles =
    (call: OutboundCall): OutboundCall =>
    async (url, request) => {
      const body = FILES[url]
      return body ? { status: 200, contentType: '', retryAfterSeconds: undefined, body } : call(url, request)
    }
  const open = () =>
    network().backend({ creatives: 'api', products: PRODUCTS, creativeTemplates: TEMPLATES }, undefined, withFiles)

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  const wanted = (
    id: string,
    creatives: readonly DesiredCreative[],
    change: { readonly associations?: readonly Association[]; readonly productId?: string } = {},
  ): DesiredOrder => {
    const all = creatives.map(({ externalId }) => ({ creativeExternalId: externalId, weight: null, placementIds: null }))
    const settings = { ...SETTINGS, productId: change.productId ?? 'homepage' }
    const { startsAt, endsAt, budgetMicros } = settings
    return order({
      key: { tenantId: 'acme', externalId: id },
      settings: { name: id, advertiserId: 'acc_1', currency: 'USD', budgetMicros, startsAt, endsAt },
      lines: [line(`${id}_pkg`, { settings, associations: change.associations ?? all })],
      creatives,
    })
  }
  const stepsOf = async (backend: AdServerBackend, desired: DesiredOrder) =>
    diff(desired, await backend.observe(desired.key), backend.capabilities)
  const bring = async (backend: AdServerBackend, desired: DesiredOrder) => {
    for (const step of await stepsOf(backend, desired)) await runStep(backend, desired.key, step)
    expect(await stepsOf(backend, desired)).toEqual([])
  }
  const creativeThere = async (creative: DesiredCreative) =>
    (await network().control()).soapCreatives.filter(({ name }) => name === trafficName(creative)).at(-1)
  const associationsOf = async (id: string) => {
    const { associations, lineItems } = await network().control()
    const own = lineItems.find(({ externalLineItemId }) => externalLineItemId === `${id}_pkg`)
    return associations.filter(({ lineItem }) => lineItem === own?.name)
  }

  const KINDS: readonly (readonly [string, DesiredCreative, string, object])[] = [
    [
      'image',
      creativeOf('image', { ...BANNER.assets, click: CLICK, pixel: PIXEL }),
      'homepage',
      {
        '@type': 'ImageCreative',
        size: { width: '300', height: '250', isAspectRatio: 'false' },
        destinationUrl: 'https://shop.example.com/?c=%%CACHEBUSTER%%',
        primaryImageAsset: { fileName: 'a.png', fileSize: 9 },
        thirdPartyImpressionTrackingUrls: 'https://count.example.com/i?r=%%CACHEBUSTER%%',
      },
    ],
    [
      'large image',
      creativeOf('large', { image: { asset_type: 'image', url: 'https://cdn.example.com/large.png', width: 300, height: 250 } }),
      'homepage',
      { '@type': 'ImageRedirectCreative', imageUrl: 'https://cdn.example.com/large.png', destinationUrlType: 'NONE' },
    ],
    [
      'tag',
      creativeOf('tag', { html: { asset_type: 'html', content: '<a href="{CLICK_URL}">Shoes & more</a>\u0007' } }),
      'homepage',
      { '@type': 'ThirdPartyCreative', snippet: '<a href="%%CLICK_URL_UNESC%%">Shoes & more</a>' },
    ],
    [
      'archive',
      creativeOf('zip', {
        zip: {
          ...{ asset_type: 'zip', url: 'https://cdn.example.com/ad.zip' },
          digest: `sha256:${createHash('sha256').update(ZIP).digest('hex')}`,
        },
      }),
      'homepage',
      { '@type': 'Html5Creative', html5Asset: { fileName: 'ad.zip' } },
    ],
    [
      'VAST tag',
      creativeOf(
        'vast',
        { vast: { asset_type: 'vast', url: 'https://video.example.com/tag?r={CACHEBUSTER}', duration_ms: 15_000 } },
        'video_vast',
      ),
      'player',
      {
        '@type': 'VastRedirectCreative',
        ...{ vastXmlUrl: 'https://video.example.com/tag?r=%%CACHEBUSTER%%', vastRedirectType: 'LINEAR', duration: '15000' },
        size: { width: '640', height: '480' },
      },
    ],
    [
      'video',
      creativeOf(
        'video',
        { video: { asset_type: 'video', url: 'https://cdn.example.com/a.mp4', width: 1280, height: 720, duration_ms: 30_000 } },
        'video',
      ),
      'player',
      { '@type': 'VideoRedirectCreative', duration: '30000', videoAssets: { redirectUrl: 'https://cdn.example.com/a.mp4' } },
    ],
    [
      'card',
      creativeOf(
        'card',
        { headline: { asset_type: 'text', content: 'Shoes' }, body: { asset_type: 'text', content: 'New' } },
        'card',
      ),
      'homepage',
      {
        '@type': 'TemplateCreative',
        creativeTemplateId: '77',
        creativeTemplateVariableValues: [
          { uniqueName: 'Headline', value: 'Shoes' },
          { uniqueName: 'Body', value: 'New' },
        ],
      },
    ],
  ]
  test.each(KINDS)('%s: on its line, and the line serves', { timeout: PATIENCE }, async (kind, creative, productId, there) => {
    const backend = open()
    const desired = wanted(`kind ${kind}`, [creative], { productId })
    await bring(backend, desired)
    expect(await creativeThere(creative)).toMatchObject(there)
    expect(await associationsOf(desired.key.externalId)).toMatchObject([{ status: 'ACTIVE' }])
    const { lineItems } = await network().control()
    expect(lineItems.find(({ externalLineItemId }) => externalLineItemId === `kind ${kind}_pkg`)).toMatchObject({
      status: 'READY',
    })
  })

  test('shares are weights of a line that rotates by them, and stay so when its budget changes', {
    timeout: PATIENCE,
  }, async () => {
    const backend = open()
    const [a, b] = [creativeOf('a', BANNER.assets), creativeOf('b', BANNER.assets)]
    const associations = [
      { creativeExternalId: 'a', weight: 70, placementIds: null },
      { creativeExternalId: 'b', weight: null, placementIds: null },
    ]
    const desired = wanted('shares', [a, b], { associations })
    await bring(backend, desired)
    const rotation = async () => {
      const { lineItems } = await network().control()
      return lineItems.find(({ externalLineItemId }) => externalLineItemId === 'shares_pkg')?.creativeRotationType
    }
    expect((await associationsOf('shares')).map(({ manualWeight }) => manualWeight).sort()).toEqual([30, 70])
    const more = desired.lines.map((each) => ({ ...each, settings: { ...each.settings, budgetMicros: 9_000_000_000 } }))
    await bring(backend, { ...desired, lines: more })
    expect(await rotation()).toBe('WEIGHTED')
    await bring(backend, { ...desired, lines: [{ ...more[0], associations: associations.slice(1) } as (typeof more)[0]] })
    expect((await associationsOf('shares')).map(({ status }) => status).sort()).toEqual(['ACTIVE', 'INACTIVE'])
    expect(await rotation()).toBe('EVENLY')
  })

  test('what a person makes of a creative or puts on its line is seen, and undone', { timeout: PATIENCE }, async () => {
    const backend = open()
    const tag = creativeOf('edited', { html: { asset_type: 'html', content: '<b>Shoes</b>' } })
    const desired = wanted('edits', [tag])
    await bring(backend, desired)
    const id = String((await creativeThere(tag))?.id)
    await network().control({ soapCreative: { id, snippet: '<b>Boots</b>' } })
    expect((await stepsOf(backend, desired)).map(({ kind }) => kind)).toEqual(['put_creative'])
    await bring(backend, desired)
    expect(await creativeThere(tag)).toMatchObject({ id, snippet: '<b>Shoes</b>' })

    const [own] = await associationsOf('edits')
    const lineName = String(own?.lineItem)
    await network().control({ associate: { line: lineName, creative: String(own?.creative), status: 'INACTIVE' } })
    await network().control({ associate: { line: lineName, creative: 'networks/4711/creatives/5' } })
    expect((await stepsOf(backend, desired)).map(({ kind }) => kind)).toEqual(['associate'])
    await bring(backend, desired)
    const states = new Map((await associationsOf('edits')).map(({ creative, status }) => [creative, status]))
    expect([...states.values()].sort()).toEqual(['ACTIVE', 'INACTIVE'])
    expect(states.get('networks/4711/creatives/5')).toBe('INACTIVE')
  })

  test("Google's review reaches the buyer with its reason", { timeout: PATIENCE }, async () => {
    const backend = open()
    const tag = creativeOf('reviewed', { html: { asset_type: 'html', content: '<b>Pills</b>' } })
    const desired = wanted('review', [tag])
    await bring(backend, desired)
    const id = String((await creativeThere(tag))?.id)
    await network().control({ soapCreative: { id, policyLabels: ['MALWARE_IN_CREATIVE'] } })
    expect(refusedCreatives(desired, await backend.observe(desired.key))).toEqual([
      { externalId: 'reviewed', contentVersion: 'v1', reason: expect.stringContaining('Google found MALWARE_IN_CREATIVE') },
    ])
  })

  const LEADERBOARD = { image: { asset_type: 'image', url: 'https://cdn.example.com/a.png', width: 728, height: 90 } }
  const WRONG_ZIP = { asset_type: 'zip', url: 'https://cdn.example.com/ad.zip', digest: `sha256:${'0'.repeat(64)}` }
  test.each([
    ['sound', creativeOf('sound', { audio: { asset_type: 'audio', url: 'https://cdn.example.com/a.mp3' } }), /no image, markup/],
    ['a file that is another one', creativeOf('other zip', { zip: WRONG_ZIP }), /digest/],
    ['a size that its line has no place for', creativeOf('leaderboard', LEADERBOARD), /INVALID_LINEITEM_CREATIVE_PAIRING/],
  ])(
    '%s is refused with the reason, and the order goes on without it',
    { timeout: PATIENCE },
    async (_what, creative, reason) => {
      const backend = open()
      const good = creativeOf('good', BANNER.assets)
      const desired = wanted(`refused ${creative.externalId}`, [good, creative])
      for (const step of await stepsOf(backend, desired)) await runStep(backend, desired.key, step)
      const observed = await backend.observe(desired.key)
      expect(refusedCreatives(desired, observed)).toEqual([
        { externalId: creative.externalId, contentVersion: 'v1', reason: expect.stringMatching(reason) },
      ])
      expect(observed?.lines).toMatchObject([{ state: 'active', associations: [{ creativeExternalId: 'good' }] }])
    },
  )

  test('a card without a template is a matter of the setup, which says what is missing', { timeout: PATIENCE }, async () => {
    const backend = open()
    const card = creativeOf('other', { headline: { asset_type: 'text', content: 'Shoes' } }, 'other')
    const desired = wanted('no template', [card])
    const [putOrder] = await stepsOf(backend, desired)
    if (putOrder) await runStep(backend, desired.key, putOrder)
    await expect(backend.putCreative(desired.key, card)).rejects.toThrow(/creativeTemplates has no "other"/)
  })

  test('a creative for some placements of a product is refused: lines show each in all', { timeout: PATIENCE }, async () => {
    const backend = open()
    const associations = [{ creativeExternalId: 'banner', weight: null, placementIds: ['top'] }]
    const desired = wanted('placements', [BANNER], { associations })
    for (const step of await stepsOf(backend, desired)) await runStep(backend, desired.key, step)
    expect(refusedCreatives(desired, await backend.observe(desired.key))).toMatchObject([
      { reason: expect.stringMatching(/in all of them/) },
    ])
  })
})
