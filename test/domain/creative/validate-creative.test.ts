import { describe, expect, test } from 'vitest'
import type { Asset, Assets } from '../../../src/domain/creative/assets.ts'
import { standardFormats } from '../../../src/domain/creative/formats/standard-formats.ts'
import { type FormatScope, resolveFormat } from '../../../src/domain/creative/resolve-format.ts'
import { review } from '../../../src/domain/creative/review.ts'
import { validateCreative } from '../../../src/domain/creative/validate-creative.ts'
import { NameSearch } from '../../../src/protocol/nearest-name.ts'

const AGENT = 'https://ads.example/mcp'
const scope: FormatScope = {
  formats: standardFormats(AGENT),
  sold: [],
  agentUrl: AGENT,
  conformance: false,
  names: new NameSearch(),
}
const check = (id: string, assets: Assets) =>
  validateCreative(assets, resolveFormat({ agent_url: AGENT, id }, scope)).map(
    ({ severity, field, message }) => `${severity} ${field} ${message}`,
  )

const image = (width: number, height: number, more: object = {}): Asset => ({
  asset_type: 'image',
  url: 'https://cdn.example/i',
  width,
  height,
  ...more,
})
const text = (content: string): Asset => ({ asset_type: 'text', content })
const video = (more: object = {}): Asset => ({
  asset_type: 'video',
  url: 'https://cdn.example/v.mp4',
  width: 1920,
  height: 1080,
  duration_ms: 30_000,
  ...more,
})
const tag = (duration_ms: number): Asset => ({
  asset_type: 'vast',
  delivery_type: 'url',
  url: 'https://vast.example/tag',
  duration_ms,
})

describe('validateCreative', () => {
  test.each<[string, string, Assets, string[]]>([
    ['an image of the right size', 'display_300x250', { image: image(300, 250) }, []],
    ['jpeg is jpg', 'display_300x250', { image: image(300, 250, { format: 'jpeg' }) }, []],
    ['another size', 'display_300x250', { image: image(301, 250) }, ['error assets.image.width must be 300']],
    [
      'another file type',
      'display_300x250',
      { image: image(300, 250, { format: 'tiff' }) },
      ['error assets.image.format must be one of jpg, png, gif, webp'],
    ],
    ['nothing', 'display_300x250', {}, ['error assets.image is required by the format (image)']],
    ['another type', 'display_300x250', { image: text('x') }, ['error assets.image.asset_type must be image']],
    [
      'an asset without a slot',
      'display_300x250',
      { image: image(300, 250), extra: text('x') },
      ['warning assets.extra belongs to no slot of the format, which has: image, html, click_url, impression_tracker'],
    ],
    [
      'many assets without a slot: the first twenty by name, then their number',
      'display_300x250',
      { image: image(300, 250), ...Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`extra_${index}`, text('x')])) },
      [
        ...Array.from(
          { length: 20 },
          (_, index) =>
            `warning assets.extra_${index} belongs to no slot of the format, which has: image, html, click_url, impression_tracker`,
        ),
        'warning assets has 3 more that belong to no slot of the format',
      ],
    ],
    [
      'a click that runs code',
      'display_300x250',
      { image: image(300, 250), click_url: { asset_type: 'url', url: 'javascript:alert(1)' } },
      ['error assets.click_url.url must be one of https, http'],
    ],
    ['a native card, its ratio rounded', 'native_content', { image: image(1200, 628), headline: text('Hi') }, []],
    [
      'a square where a wide image belongs',
      'native_content',
      { image: image(1200, 1200), headline: text('Hi') },
      ['error assets.image.width and height must have the ratio 1.91:1'],
    ],
    [
      'a text that is too long, counted in characters',
      'native_content',
      { image: image(1200, 628), headline: text('🎿'.repeat(91)) },
      ['error assets.headline.content must have at most 90 characters'],
    ],
    ['the same with 90 of them', 'native_content', { image: image(1200, 628), headline: text('🎿'.repeat(90)) }, []],
    ['a video of the right length', 'ssai_30s', { video: video() }, []],
    [
      'a video that is too long and silent',
      'ssai_30s',
      { video: video({ duration_ms: 31_000, has_audio: false }) },
      ['error assets.video.duration_ms must be at most 30500', 'error assets.video.has_audio must be true'],
    ],
    [
      'a tag that declares an hour',
      'vast_15s',
      { vast: tag(3_600_000) },
      ['error assets.vast.duration_ms must be at most 15500'],
    ],
    [
      'a tag that declares less than its format has',
      'vast_15s',
      { vast: tag(5_000) },
      ['error assets.vast.duration_ms must be at least 14500'],
    ],
    ['a tag of the right length', 'vast_15s', { vast: tag(15_000) }, []],
  ])('%s', (_name, format, assets, findings) => {
    expect(check(format, assets)).toEqual(findings)
  })

  test('repetitions are counted and each is checked', () => {
    const card = (n: number, headline = 'Hi') => ({
      [`card_${n}_image`]: image(600, 600),
      [`card_${n}_headline`]: text(headline),
      [`card_${n}_click_url`]: { asset_type: 'url', url: 'https://brand.example/' } as const,
    })
    expect(check('social_carousel', { ...card(1), ...card(2) })).toEqual([])
    expect(check('social_carousel', card(1))).toEqual([
      'error assets.card_1_image is part of 1 repetitions of card; the format takes 2 to 10',
    ])
    const { card_2_image: _image, ...rest } = { ...card(1), ...card(2, 'x'.repeat(46)) }
    expect(check('social_carousel', rest)).toEqual([
      'error assets.card_2_image is required by the format (image)',
      'error assets.card_2_headline.content must have at most 45 characters',
    ])
  })
})

describe('resolveFormat', () => {
  const foreign = { agent_url: 'https://your-platform.example.com', id: 'display_300x250' }
  test('a foreign format counts where a product sells it, and in a sandbox by its id', () => {
    expect(resolveFormat(foreign, scope).kind).toBe('unknown')
    expect(resolveFormat(foreign, { ...scope, sold: [foreign] }).kind).toBe('opaque')
    expect(resolveFormat(foreign, { ...scope, conformance: true }).kind).toBe('known')
    expect(resolveFormat({ ...foreign, id: 'made_up' }, { ...scope, conformance: true }).kind).toBe('opaque')
    expect(resolveFormat({ agent_url: AGENT, id: 'made_up' }, { ...scope, conformance: true }).kind).toBe('unknown')
  })
})

describe('review', () => {
  const doubt = [{ severity: 'warning' as const, field: 'assets.x', message: 'is odd' }]
  test('approves what is clean, leaves doubts to a person, rejects what is not https', () => {
    expect(review({ image: image(300, 250) }, [], { mode: 'automatic' })).toEqual({ status: 'approved' })
    expect(review({ image: image(300, 250) }, doubt, { mode: 'automatic' })).toMatchObject({ status: 'pending_review' })
    expect(review({ image: image(300, 250) }, [], { mode: 'manual' })).toMatchObject({ status: 'pending_review' })
    expect(review({ image: image(300, 250, { url: 'http://cdn.example/i' }) }, [], { mode: 'automatic' })).toMatchObject({
      status: 'rejected',
      reason: 'assets.image is not served over https',
    })
  })
})
