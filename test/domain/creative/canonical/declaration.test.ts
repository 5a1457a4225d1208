import { describe, expect, it } from 'vitest'
import { declarer } from '../../../../src/domain/creative/canonical/declaration.ts'
import { customFormat, type FormatDocument } from '../../../../src/domain/creative/formats/custom-format.ts'
import { ownReference } from '../../../../src/domain/creative/formats/official-formats.ts'
import { standardFormats } from '../../../../src/domain/creative/formats/standard-formats.ts'

const AGENT = 'https://seller.example/mcp'
const standard = standardFormats(AGENT)
const declare = declarer(standard)
const ref = (id: string, more: object = {}) => ({ agent_url: AGENT, id, ...more })

function declareOwn(document: Partial<FormatDocument>) {
  const format = customFormat({ id: 'own', type: 'display', name: 'Own', ...document }, AGENT)
  return declarer([format])(ref('own'))
}

describe('declarations of the standard formats', () => {
  it('are made for each of them, under a name that leads back to it and with an id of their own', () => {
    const all = standard.map(({ format }) => declare(format.format_id))
    const back = all.map((each) => each && ownReference(each.v1_format_ref[0], AGENT))
    expect(back).toEqual(standard.map(({ format }) => format.format_id))
    expect(declare(ref('video_30s'))?.v1_format_ref).toEqual([
      { agent_url: 'https://creative.adcontextprotocol.org/', id: 'video_standard_30s' },
    ])
    expect(declare(ref('daast_30s'))?.v1_format_ref).toEqual([ref('daast_30s')])
    expect(new Set(all.map((each) => each?.format_option_id)).size).toBe(standard.length)
  })

  it.each([
    ['display_300x250', 'image', { width: 300, height: 250 }],
    ['display_728x90_html5', 'html5', { width: 728, height: 90 }],
    ['display_160x600_tag', 'display_tag', { width: 160, height: 600 }],
    ['native_feed', 'native_in_feed', {}],
    ['display_300x250_generative', 'image', { width: 300, height: 250, asset_source: 'agent_synthesized' }],
    ['display_300x250_catalog', 'sponsored_placement', { supported_catalog_types: ['product'], min_items: 1, max_items: 100 }],
    ['video_30s_generative', 'video_hosted', { duration_ms_exact: 30_000, asset_source: 'agent_synthesized' }],
    ['ssai_15s', 'video_hosted', { min_width: 1280, min_height: 720, aspect_ratio: '16:9', duration_ms_exact: 15_000 }],
    ['dooh_portrait_video_10s', 'video_hosted', { aspect_ratio: '9:16', duration_ms_range: [9500, 10_500] }],
    ['ctv_vast_30s', 'video_vast', { duration_ms_exact: 30_000, vast_version: '4.2' }],
    ['audio_30s', 'audio_hosted', { duration_ms_exact: 30_000 }],
    ['daast_15s', 'audio_daast', { duration_ms_exact: 15_000, daast_version: '1.0' }],
    ['podcast_host_read_60s', 'audio_hosted', { duration_ms_exact: 60_000, asset_source: 'publisher_host_recorded' }],
    ['social_image_square', 'image', { min_width: 600, aspect_ratio: '1:1' }],
    ['social_carousel', 'image_carousel', { min_cards: 2, max_cards: 10 }],
  ])('%s is %s', (id, kind, params) => {
    expect(declare(ref(id))).toMatchObject({ format_option_id: id, format_kind: kind, params })
  })

  it('name the slots where they demand something else than the canonical format does', () => {
    expect(declare(ref('display_300x250'))?.params).not.toHaveProperty('slots')
    expect(declare(ref('display_300x250_html5'))?.params.slots).toEqual([
      { asset_group_id: 'html5_bundle', asset_type: 'html', required: true },
      { asset_group_id: 'landing_page_url', asset_type: 'url', required: false },
    ])
    expect(declare(ref('native_feed'))?.params.slots).toContainEqual({
      asset_group_id: 'advertiser_name',
      asset_type: 'text',
      required: false,
      max_chars: 40,
    })
  })

  it('are not made for formats of other agents', () => {
    expect(declare({ agent_url: 'https://other.example', id: 'display_300x250' })).toBeUndefined()
    expect(declare(ref('no_such_format'))).toBeUndefined()
  })
})

describe("declarations of a publisher's own formats", () => {
  it('are read from the assets that they demand', () => {
    const image = { item_type: 'individual', asset_id: 'skin', asset_type: 'image', required: true } as const
    const text = { item_type: 'individual', asset_id: 'line', asset_type: 'text', required: true } as const
    const vast = { item_type: 'individual', asset_id: 'tag', asset_type: 'vast', required: true } as const
    const kindOf = (document: Partial<FormatDocument>) => declareOwn(document)?.format_kind
    expect(kindOf({ assets: [image, text] })).toBe('image')
    expect(kindOf({ type: 'audio', assets: [vast] })).toBe('audio_vast')
    expect(kindOf({ type: 'video', assets: [vast] })).toBe('video_vast')
    expect(kindOf({ assets: [text] })).toBe('image')
    expect(kindOf({ type: 'dooh' })).toBe('image')
    expect(kindOf({ type: 'video', assets: [] })).toBe('video_hosted')
  })

  it('take the size of the render where the image has none', () => {
    const image = { item_type: 'individual', asset_id: 'skin', asset_type: 'image', required: true } as const
    const render = { role: 'primary', dimensions: { width: 970, height: 90, unit: 'px' } } as const
    expect(declareOwn({ assets: [image], renders: [render] })?.params).toEqual({ width: 970, height: 90 })
  })

  it('carry the parameters by which a product names a template', () => {
    const template = customFormat(
      { id: 'any_size', type: 'display', name: 'Any size', accepts_parameters: ['dimensions'] },
      AGENT,
    )
    const named = ref('any_size', { width: 300, height: 50 })
    expect(declarer([template])(named)).toEqual({
      format_option_id: 'any_size_300x50',
      format_kind: 'image',
      params: { width: 300, height: 50 },
      v1_format_ref: [named],
    })
  })
})
