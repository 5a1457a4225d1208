import { randomUUID } from 'node:crypto'
import { SubstitutionObserver } from '@adcp/sdk/substitution'
import { XMLParser } from 'fast-xml-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MOST_STEPS } from '../../../src/pipeline/task.ts'
import { buildingSteps } from '../../../src/tasks/creative/build-options.ts'
import { startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startCreativeAgent()
})
afterAll(() => agent.stop())

const format = (id: string) => ({ agent_url: agent.url, id })
const build = (args: object) => agent.run('build_creative', args)
const image = (width: number, height: number) =>
  ({ asset_type: 'image', url: `https://cdn.example/${width}x${height}.png`, width, height, format: 'png' }) as const
const text = (content: string) => ({ asset_type: 'text', content }) as const
const link = (url: string) => ({ asset_type: 'url', url }) as const
const sale = {
  headline: text('Summer Sale — 40% Off <b>All</b> Gear'),
  click_url: link('https://brand.example/sale?a=1&b={CACHEBUSTER}'),
}

describe('build_creative', () => {
  it.each(['3.0', '3.1', '3.2'])('builds for at most fifty formats in one call of AdCP %s', async (adcp_version) => {
    const targets = (count: number) => ({
      adcp_version,
      message: 'Create a banner for boots.',
      target_format_ids: Array.from({ length: count }, () => format('display_300x250_generative')),
    })
    const { data: most } = await build(targets(50))
    expect(most.creative_manifests, JSON.stringify(most.adcp_error)).toHaveLength(50)
    const { data: more } = await build(targets(51))
    expect(more.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'target_format_ids' })
    expect(more.adcp_error.message).toContain('50')
  })

  it('a long message for many formats uses up as many calls as it costs', () => {
    const request = { message: 'Do a strange thing. '.repeat(10_000), target_format_ids: Array(50).fill(format('any')) }
    const steps = buildingSteps({ idempotency_key: 'a-long-message-of-many', ...request })
    expect(steps).toBeGreaterThan(30_000)
    expect(steps).toBeLessThan(MOST_STEPS / 4)
    expect(buildingSteps({ idempotency_key: 'a-short-message', message: 'Boots.' })).toBeLessThan(100)
  })

  it('makes HTML of the size of the format from a message, with the brand of the account', async () => {
    const { data, isError } = await build({
      message:
        'Create a display banner for a summer outdoor gear sale. Bold, adventurous tone. Headline should emphasize 40% off. Make it pop.',
      target_format_id: format('display_300x250_generative'),
      include_preview: true,
    })
    expect(isError, JSON.stringify(data)).toBeFalsy()
    const { format_id, assets, ext } = data.creative_manifest
    expect(format_id).toEqual(format('display_300x250_generative'))
    expect(assets.headline.content).toBe('Summer Outdoor Gear Sale — 40% Off')
    expect(assets.brief).toMatchObject({ asset_type: 'brief', name: 'summer outdoor gear sale', tone: 'Bold, adventurous' })
    expect(assets.cta.content).toBe('Shop Now')
    expect(assets.click_url.url).toBe('https://brand.example/')
    expect(assets.html.content).toContain('width:300px;height:250px')
    expect(assets.html.content).toContain('Summer Outdoor Gear Sale — 40% Off')
    expect(ext.sales_agent).toMatchObject({ builder: 'template-builder', notes: ['not followed: Make it pop.'] })
    expect(data.preview.previews[0].renders[0]).toMatchObject({ output_format: 'url', dimensions: { width: 300, height: 250 } })
    const page = await fetch(data.preview.previews[0].renders[0].preview_url)
    expect(await page.text()).toContain('Summer Outdoor Gear Sale')
  })

  it('what was built can be synced, and is then unchanged in the library', async () => {
    const { data } = await build({
      message: 'Create a banner for boots.',
      target_format_id: format('display_300x250_generative'),
    })
    const { format_id, assets } = data.creative_manifest
    const synced = await agent.run('sync_creatives', { creatives: [{ creative_id: 'boots', name: 'Boots', format_id, assets }] })
    expect(synced.data.creatives[0]).toMatchObject({ creative_id: 'boots', action: 'created' })
    const listed = await agent.buyer.call('list_creatives', { filters: { creative_ids: ['boots'] } })
    expect(listed.data.creatives[0].assets).toEqual(assets)
  })

  it('refines what was built: texts, sizes and colours change, everything else stays', async () => {
    const target = { target_format_id: format('display_300x250_generative') }
    const first = await build({ message: 'Create a banner for boots. Use a dark background.', ...target })
    const second = await build({
      message: "Make the headline larger. Add a CTA button that says 'Get Boots'. Replace the mountain imagery with a trail.",
      creative_manifest: first.data.creative_manifest,
      ...target,
    })
    const [before, after] = [first.data.creative_manifest, second.data.creative_manifest]
    expect(after.assets.cta.content).toBe('Get Boots')
    expect(after.assets.headline).toEqual(before.assets.headline)
    expect(after.assets.html.content).toContain('background:#1b1b1f')
    const size = (html: string) => Number(/font-weight:700;line-height:1.15;font-size:([\d.]+)px/.exec(html)?.[1])
    expect(size(after.assets.html.content)).toBeCloseTo(size(before.assets.html.content) * 1.25, 0)
    expect(after.ext.sales_agent.notes).toEqual(['not followed: Replace the mountain imagery with a trail.'])
    const third = await build({ message: 'No changes needed.', creative_manifest: after, ...target })
    expect(third.data.creative_manifest.assets).toEqual(after.assets)
  })

  it('refines a format that has no place for texts', async () => {
    const target = { target_format_id: format('display_728x90_html5') }
    const first = await build({ message: "Create a banner for boots. Tagline: 'Dry feet'", ...target })
    const second = await build({ message: 'Make the button red.', creative_manifest: first.data.creative_manifest, ...target })
    expect(second.data.creative_manifest.assets.html.content).toContain('Dry feet')
    expect(second.data.creative_manifest.assets.html.content).toContain('background:#c62828')
  })

  it('refines a creative of the library, picture and all, also from a script tag', async () => {
    for (const id of ['display_300x250_html5', 'display_300x250_tag']) {
      const assets = { ...sale, image: { ...image(900, 500), alt_text: 'Boots & <more>' } }
      const first = await build({ creative_manifest: { format_id: format('source'), assets }, target_format_id: format(id) })
      const { format_id, assets: made } = first.data.creative_manifest
      const synced = await agent.run('sync_creatives', { creatives: [{ creative_id: id, name: id, format_id, assets: made }] })
      expect(synced.data.creatives[0]).toMatchObject({ action: 'created' })
      const same = await build({ creative_id: id })
      expect(same.data.creative_manifest.assets).toEqual(made)
      const { data } = await build({
        creative_id: id,
        message: 'Make the background navy.',
        target_format_id: format('display_300x250_html5'),
      })
      const { content } = data.creative_manifest.assets.html
      expect(content).toContain('background:#0d2b52')
      expect(content).toContain('src="https://cdn.example/900x500.png" alt="Boots &#38; &#60;more&#62;"')
      expect(content).toContain('&#60;b&#62;All&#60;/b&#62; Gear')
    }
  })

  it('leaves code that it did not make alone', async () => {
    const html = { asset_type: 'html', content: '<p>made elsewhere</p>' }
    const { data } = await build({
      creative_manifest: { format_id: format('display_300x250_html5'), assets: { html, ...sale } },
      message: 'Make the headline larger.',
    })
    expect(data.creative_manifest.assets.html).toEqual(html)
  })

  it('adapts one creative to several formats, in the order asked for', async () => {
    const ids = ['display_300x250', 'display_728x90', 'display_320x50', 'display_300x250_tag']
    const { data } = await build({
      creative_manifest: {
        format_id: { agent_url: agent.url, id: 'source_master' },
        assets: { image: image(300, 250), ...sale },
      },
      target_format_ids: ids.map(format),
      include_preview: true,
    })
    expect(data.creative_manifests.map((each: { format_id: { id: string } }) => each.format_id.id)).toEqual(ids)
    const [rectangle, leaderboard, , tag] = data.creative_manifests
    expect(rectangle.assets.image).toEqual(image(300, 250))
    expect(leaderboard.assets.image).toBeUndefined()
    expect(leaderboard.assets.html.content).toContain('width:728px;height:90px')
    expect(leaderboard.assets.html.content).toContain('&#60;b&#62;All')
    expect(leaderboard.assets.html.content).toContain('href="https://brand.example/sale?a=1&#38;b={CACHEBUSTER}"')
    expect(tag.assets.tag).toMatchObject({ asset_type: 'javascript', content: expect.stringContaining('f.srcdoc="') })
    expect(data.preview.previews.map((each: { format_id: { id: string } }) => each.format_id.id)).toEqual(ids)
  })

  it('a list of formats outranks a single one beside it', async () => {
    const both = { target_format_id: format('display_300x250'), target_format_ids: [format('display_728x90_html5')] }
    const { data } = await build({ message: 'Create an ad for boots.', ...both })
    expect(data.creative_manifests).toMatchObject([{ format_id: { id: 'display_728x90_html5' } }])
  })

  it('all formats are built or none', async () => {
    const { data } = await build({
      message: 'Create an ad for boots.',
      target_format_ids: ['display_300x250_html5', 'video_30s'].map(format),
    })
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'target_format_ids[1]' })
    expect(data.creative_manifests).toBeUndefined()
  })

  it('wraps a film of the library into VAST, with the place of the ad in its macros', async () => {
    const video = {
      asset_type: 'video',
      url: 'https://cdn.example/v.mp4?x=1&y=2',
      width: 1920,
      height: 1080,
      duration_ms: 30_000,
    }
    const assets = {
      video,
      click_url: link('https://brand.example/{MEDIA_BUY_ID}'),
      impression_tracker: link('https://t.example/i?c={CREATIVE_ID}&cb={CACHEBUSTER}'),
    }
    await agent.run('sync_creatives', {
      creatives: [{ creative_id: 'film', name: 'Film', format_id: format('video_30s'), assets }],
    })
    const bought = await agent.create()
    const place = { media_buy_id: bought.data.media_buy_id, package_id: bought.data.packages[0].package_id }
    const { data } = await build({ creative_id: 'film', target_format_id: format('vast_30s'), ...place })
    const { vast } = data.creative_manifest.assets
    expect(vast).toMatchObject({ vast_version: '4.2', delivery_type: 'inline', duration_ms: 30_000 })
    const inline = new XMLParser({ ignoreAttributes: false }).parse(vast.content).VAST.Ad.InLine
    expect(inline.Impression).toBe('https://t.example/i?c=film&cb={CACHEBUSTER}')
    const { Linear: linear } = inline.Creatives.Creative
    expect(linear.Duration).toBe('00:00:30')
    expect(linear.MediaFiles.MediaFile['#text']).toBe('https://cdn.example/v.mp4?x=1&y=2')
    expect(linear.MediaFiles.MediaFile['@_type']).toBe('video/mp4')
    expect(linear.VideoClicks.ClickThrough).toBe(`https://brand.example/${place.media_buy_id}`)
    const stranger = agent.client(await agent.addBuyer({ principal: 'other' }))
    const other = await stranger.call('build_creative', {
      idempotency_key: randomUUID(),
      creative_id: 'film',
      target_format_id: format('vast_30s'),
    })
    expect(other.data.adcp_error).toMatchObject({ code: 'CREATIVE_NOT_FOUND', field: 'creative_id' })
  })

  it('gives a native ad in its parts and in one piece', async () => {
    const { data } = await build({
      creative_manifest: { format_id: format('native_content'), assets: { image: image(1200, 628), ...sale } },
      target_format_id: format('native_content'),
    })
    const { assets } = data.creative_manifest
    expect(assets.headline.content).toBe(sale.headline.content)
    expect(JSON.parse(assets.openrtb_native.content)).toMatchObject({
      ver: '1.2',
      assets: [
        { title: { text: sale.headline.content } },
        { img: { url: 'https://cdn.example/1200x628.png' } },
        { data: { type: 12 } },
        { data: { type: 1, value: 'Brand' } },
      ],
      link: { url: sale.click_url.url },
    })
  })

  it('puts macro_values in literally, and never as markup', async () => {
    const { data } = await build({
      creative_manifest: {
        format_id: format('display_300x250'),
        assets: { image: image(300, 250), headline: text('{CITY} deals'), ...{ click_url: sale.click_url } },
      },
      macro_values: { CITY: '<script>alert(1)</script>', CACHEBUSTER: '1%202' },
    })
    const { html, click_url } = data.creative_manifest.assets
    expect(click_url.url).toBe('https://brand.example/sale?a=1&b=1%202')
    expect(html.content).toContain('&#60;script&#62;alert(1)')
    expect(html.content).not.toContain('<script')
  })

  it('a disclosure that the format has no place for stops the build', async () => {
    const brief = {
      asset_type: 'brief',
      name: 'B',
      messaging: { headline: 'Best price' },
      compliance: { required_disclosures: [{ text: 'Terms apply.' }] },
    }
    const shown = await build({ creative_manifest: { format_id: format('display_300x250_generative'), assets: { brief } } })
    expect(shown.data.creative_manifest.assets.html.content).toContain('Terms apply.')
    const spoken = { ...brief, compliance: { required_disclosures: [{ text: 'Terms apply.', position: 'audio' }] } }
    const refused = await build({
      creative_manifest: { format_id: format('display_300x250_generative'), assets: { brief: spoken } },
    })
    expect(refused.data.adcp_error).toMatchObject({
      code: 'COMPLIANCE_UNSATISFIED',
      field: 'creative_manifest.assets.brief.compliance.required_disclosures[0]',
    })
    const claim = { ...brief, compliance: { prohibited_claims: ['best PRICE'] } }
    const rejected = await build({
      creative_manifest: { format_id: format('display_300x250_generative'), assets: { brief: claim } },
    })
    expect(rejected.data.adcp_error).toMatchObject({ code: 'CREATIVE_REJECTED', field: 'creative_manifest.assets.brief' })
  })

  it('names what is missing, wrong or unknown', async () => {
    const cases: [object, string, string][] = [
      [{ target_format_id: format('display_300x250') }, 'INVALID_REQUEST', 'message'],
      [{ message: 'An ad for boots' }, 'INVALID_REQUEST', 'target_format_id'],
      [{ message: 'x', target_format_id: format('nothing') }, 'FORMAT_NOT_SUPPORTED', 'target_format_id'],
      [{ creative_id: 'absent', target_format_id: format('display_300x250') }, 'CREATIVE_NOT_FOUND', 'creative_id'],
      [
        { message: 'x', target_format_id: format('display_300x250_html5'), media_buy_id: 'absent' },
        'MEDIA_BUY_NOT_FOUND',
        'media_buy_id',
      ],
      [
        { creative_manifest: { format_id: format('display_300x250'), assets: { click_url: link('javascript:alert(1)') } } },
        'VALIDATION_ERROR',
        'creative_manifest.assets.click_url.url',
      ],
    ]
    for (const [args, code, field] of cases) {
      const { data } = await build(args)
      expect(data.adcp_error, JSON.stringify(args)).toMatchObject({ code, field })
    }
  })
})

const PROBES = [
  ['reserved_char_breakout', '00013&cmd=drop', 'reserved-character-breakout'],
  ['nested_expansion', 'vacancy-{DEVICE_ID}-42', 'nested-expansion-preserved-as-literal'],
  ['non_ascii', 'café-amsterdam', 'non-ascii-utf8-percent-encoding'],
  ['crlf_injection', 'abc\r\nHost: evil.example', 'crlf-injection-neutralized'],
  ['bidi_override', 'VIN-\u202E1234', 'bidi-override-neutralized'],
] as const

describe('ads for a catalog', () => {
  const items = PROBES.map(([item_id, sku]) => ({
    item_id,
    sku,
    title: `Probe "${sku}" <i>`,
    url: `https://brand.example/${item_id}`,
  }))
  const tracker = 'https://track.example/imp?sku={SKU}'

  /** As the substitution-observer contract of the official suite judges a preview. */
  function expectSafe(html: string) {
    const observer = new SubstitutionObserver()
    const bindings = PROBES.map(([catalog_item_id, , vector_name]) => ({ macro: '{SKU}', catalog_item_id, vector_name }))
    const matches = observer.match_bindings(observer.parse_html(html), tracker, bindings)
    for (const { vector_name } of bindings) {
      const own = matches.filter((match) => match.binding.vector_name === vector_name)
      expect(
        own.filter((match) => observer.assert_rfc3986_safe(match).ok),
        vector_name,
      ).toHaveLength(1)
    }
    expect(html).not.toContain('{DEVICE_ID}')
    expect(html).not.toMatch(/<i>|<script/)
  }

  it('keep the macro in the manifest and fill it, encoded, for each item in the preview', async () => {
    const { data } = await build({
      creative_manifest: {
        format_id: format('display_300x250_catalog'),
        assets: { catalog: { asset_type: 'catalog', type: 'product', items }, impression_tracker: link(tracker) },
      },
      include_preview: true,
      preview_output_format: 'html',
    })
    const { assets, preview_html } = data.creative_manifest
    expect(assets.impression_tracker.url).toBe(tracker)
    expect(assets.click_url.url).toBe('https://brand.example/?sku={SKU}')
    expect(assets.html.content).toContain(tracker)
    expectSafe(preview_html)
  })

  it('come from a synced catalog that the message names', async () => {
    const synced = await agent.run('sync_catalogs', {
      catalogs: [
        {
          catalog_id: 'probe_feed_1',
          type: 'product',
          content_id_type: 'sku',
          items: items.map((item) => ({
            ...item,
            image_url: 'https://cdn.example/i.png',
            price: { amount: 1, currency: 'USD' },
          })),
        },
      ],
    })
    expect(synced.data.catalogs?.[0], JSON.stringify(synced.data)).toMatchObject({
      action: 'created',
      items_approved: items.length,
    })
    const message = `Build an ad for the probe_feed_1 catalog. Use {SKU} in the impression tracker ${tracker} and the click URLs.`
    const { data } = await build({ message, target_format_id: format('display_300x250_catalog') })
    expect(data.creative_manifest.assets.catalog).toEqual({ asset_type: 'catalog', catalog_id: 'probe_feed_1', type: 'product' })
    expectSafe(data.creative_manifest.preview_html)
    const { data: one } = await build({ message, target_format_id: format('display_300x250_catalog'), item_limit: 1 })
    expect(one.creative_manifest.preview_html.match(/1\.00 USD/g)).toHaveLength(1)
    const { data: none } = await build({
      message: 'An ad for the other_feed catalog',
      target_format_id: format('display_300x250_catalog'),
    })
    expect(none.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'target_format_id' })
  })

  it('carry the macro of their items wherever a click leads', async () => {
    const message = 'Build an ad for the probe_feed_1 catalog.'
    const { data } = await build({ message, target_format_id: format('display_300x250_catalog') })
    expect(data.creative_manifest.assets.click_url.url).toBe('https://brand.example/?sku={SKU}')
  })
})
