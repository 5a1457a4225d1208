import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it, test } from 'vitest'
import type { Assets } from '../../../src/domain/creative/assets.ts'
import { standardFormats } from '../../../src/domain/creative/formats/standard-formats.ts'
import { renderSize } from '../../../src/domain/creative/preview/render.ts'
import type { BuildJob } from '../../../src/features/creatives/creative-builder.ts'
import { createTemplateBuilder } from '../../../src/features/creatives/template-builder.ts'
import { codePoint } from '../../support/code-point.ts'

const builder = createTemplateBuilder()
const formats = standardFormats('https://ads.example/mcp')

function job(id: string, more: Partial<BuildJob> = {}): BuildJob {
  const format = formats.find((each) => each.format.format_id.id === id)?.format
  if (!format) throw new Error(id)
  const size = renderSize(format.format_id, format)
  return { format, size, assets: {}, message: undefined, brand: undefined, catalog: undefined, field: 'assets', ...more }
}

const text = (content: string) => ({ asset_type: 'text', content }) as const
const contentOf = (assets: Assets, id: string) => {
  const asset = assets[id]
  return asset && 'content' in asset ? asset.content : ''
}

describe('words', () => {
  const brand = { domain: 'brand.example', name: 'Brand' }
  const said = async (message: string, assets: Assets = {}) =>
    Object.fromEntries(
      Object.entries((await builder.build(job('display_300x250_generative', { message, assets, brand }))).assets).flatMap(
        ([id, asset]) => (asset?.asset_type === 'text' ? [[id, asset.content]] : []),
      ),
    )

  it.each([
    ["Create an ad for winter boots. Headline: 'Warm feet'.", { headline: 'Warm feet', cta: 'Learn More' }],
    ['Create an ad promoting a summer sale, for runners.', { headline: 'Summer Sale', cta: 'Shop Now' }],
    ['We need a banner for our hotel.', { headline: 'Hotel', cta: 'Book Now' }],
    ['Generate production-ready versions for all three sizes.', { headline: 'Brand' }],
    ['Write "Dry feet" as the tagline.', { headline: 'Brand', body: 'Dry feet' }],
  ])('%s', async (message, expected) => {
    expect(await said(message)).toMatchObject(expected)
  })

  test('an edit replaces words, and what is removed is gone', async () => {
    const assets = { headline: text('Old boots'), cta: text('Buy') }
    const changed = await said('Change "Old" to "New". Remove the button.', assets)
    expect(changed.headline).toBe('New boots')
    expect(changed.cta).toBeUndefined()
  })

  test('that are too long for a slot end at a word', async () => {
    const { assets } = await builder.build(job('native_content', { assets: { headline: text('word '.repeat(40)) } }))
    expect(contentOf(assets, 'headline')).toMatch(/^(?:word )+word…$/)
    expect(contentOf(assets, 'headline').length).toBeLessThanOrEqual(90)
  })
})

test('a catalog without a tracker of the buyer calls this server for impressions', async () => {
  const catalog = { catalogId: 'c', type: 'product', items: [{ item_id: '1', title: 'One' }] }
  const pixelUrl = 'https://ads.example/pixel'
  const { assets, items } = await builder.build(job('display_300x250_catalog', { catalog, pixelUrl }))
  expect(assets.impression_tracker).toMatchObject({ url: 'https://ads.example/pixel?sku={SKU}', url_type: 'tracker_pixel' })
  expect(items[0]?.html).toContain('src="https://ads.example/pixel?sku=1"')
})

test('a spot without a film is a card over the content', async () => {
  const { assets } = await builder.build(job('video_30s_generative', { message: 'A film for boots.' }))
  const vast = contentOf(assets, 'vast')
  const { InLine } = new XMLParser({ ignoreAttributes: false }).parse(vast).VAST.Ad
  expect(InLine.Creatives.Creative.NonLinearAds.NonLinear.HTMLResource).toContain('Boots')
  expect((await builder.build(job('vast_30s', { message: 'A film for boots.' }))).assets.vast).toBeUndefined()
})

test('the same job always gives the same creative', async () => {
  const same = () => builder.build(job('display_300x250_generative', { message: 'An ad for boots. Red background.' }))
  expect(await same()).toEqual(await same())
})

describe('nothing from outside becomes code', () => {
  const units = [
    '<',
    '>',
    '"',
    "'",
    '`',
    '&',
    '/',
    '=',
    '\\',
    '(',
    ')',
    ';',
    ' ',
    '\n',
    '{SKU}',
    '{A}',
    ']]>',
    '-->',
    '</a>',
    '</style>',
    '</script>',
  ]
  const hostile = fc.oneof(
    fc.string({
      unit: fc.constantFrom(
        ...units,
        'javascript:',
        'https://a.example/',
        ' onclick=',
        '<script>',
        '<img src=x onerror=',
        'url(',
        'x',
        'Ü',
      ),
    }),
    fc.string({ unit: codePoint, maxLength: 30 }),
  )
  const input = fc.record({
    headline: hostile,
    body: hostile,
    cta: hostile,
    sponsor: hostile,
    disclosure: hostile.filter((value) => value !== ''),
    alt: hostile,
    path: hostile,
    message: hostile,
    brandName: hostile,
    item: hostile,
    sku: hostile,
  })

  function jobOf(id: string, x: Readonly<Record<string, string>>): BuildJob {
    return job(id, {
      message: `Create an ad for ${x.message}. Headline "${x.headline}". Click https://c.example/${x.path}`,
      brand: { domain: 'brand.example', name: x.brandName ?? '' },
      assets: {
        headline: text(x.headline ?? ''),
        body: text(x.body ?? ''),
        cta: text(x.cta ?? ''),
        sponsor: text(x.sponsor ?? ''),
        image: { asset_type: 'image', url: `https://i.example/${x.path}`, width: 300, height: 250, alt_text: x.alt ?? '' },
        video: { asset_type: 'video', url: `https://v.example/${x.path}`, width: 1280, height: 720, duration_ms: 30_000 },
        click_url: { asset_type: 'url', url: `https://c.example/?q=${x.path}` },
        impression_tracker: { asset_type: 'url', url: `https://t.example/{SKU}/${x.path}` },
        brief: { asset_type: 'brief', name: 'b', compliance: { required_disclosures: [{ text: x.disclosure ?? '' }] } },
      },
      catalog: {
        catalogId: x.sku,
        type: 'product',
        items: [
          { sku: x.sku, title: x.item, description: x.item, url: x.item, image_url: x.item },
          { sku: `${x.sku}2`, title: `${x.item}2` },
        ],
      },
    })
  }

  /** Opening tags of HTML with their attribute names; fails on anything that a tokenizer would not read as quoted attributes. */
  function tagsOf(html: string): string[] {
    return [...html.replace(/<!doctype html>/, '').matchAll(/<[^>]*>?/g)].map(([tag]) => {
      expect(tag).toMatch(/^<(?:\/[a-z]+|[a-z]+(?: [a-z.-]+="[^"<>]*")*)>$/)
      return `${/^<\/?[a-z]+/.exec(tag)?.[0]} ${[...tag.matchAll(/([a-z.-]+)="[^"]*"/g)].map(([, name]) => name).join(' ')}`.trim()
    })
  }

  const ALLOWED =
    /^<\/?(?:html|head|meta|title|body|a|div|span|img)(?: (?:lang|charset|name|content|style|href|target|rel|src|alt|width|height))*$/

  function expectInert(html: string) {
    for (const tag of tagsOf(html)) expect(tag).toMatch(ALLOWED)
    for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) expect(address).toMatch(/^https?:\/\//)
    for (const [, style = ''] of html.matchAll(/style="([^"]*)"/g)) expect(style).toMatch(/^[a-z0-9:;#.,% -]*$/)
  }

  test('in HTML, or in the HTML of an item', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (x) => {
        const { assets, items } = await builder.build(jobOf('display_300x250_generative', x))
        expectInert(contentOf(assets, 'html'))
        for (const { html } of items) expectInert(html)
      }),
    )
  })

  test('in a script tag', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (x) => {
        const job = { ...jobOf('display_300x250_tag', x) }
        const { brief: _brief, ...assets } = job.assets
        const script = contentOf((await builder.build({ ...job, assets })).assets, 'tag')
        const [, literal = ''] = /f\.srcdoc=("(?:[^"\\]|\\.)*");s\.parentNode/s.exec(script) ?? []
        expect(script).not.toMatch(/[<>]/)
        expectInert(JSON.parse(literal))
      }),
    )
  })

  test('in VAST', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (x) => {
        const job = { ...jobOf('vast_30s', x) }
        const { brief: _brief, ...assets } = job.assets
        const vast = contentOf((await builder.build({ ...job, assets })).assets, 'vast')
        expect(XMLValidator.validate(vast)).toBe(true)
        const { InLine } = new XMLParser({ ignoreAttributes: false }).parse(vast).VAST.Ad
        expect(Object.keys(InLine)).toEqual(
          expect.arrayContaining(['AdSystem', 'AdTitle', 'AdServingId', 'Impression', 'Creatives']),
        )
        expect(InLine.Creatives.Creative.Linear.MediaFiles.MediaFile['#text']).toMatch(/^https:\/\/v\.example\//)
      }),
    )
  })
})
