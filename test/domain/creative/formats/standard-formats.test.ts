import { describe, expect, it } from 'vitest'
import { filterFormats } from '../../../../src/domain/creative/formats/filter-formats.ts'
import { canonicalAgentUrl, sameFormat } from '../../../../src/domain/creative/formats/format-id.ts'
import { standardFormatIds, standardFormats } from '../../../../src/domain/creative/formats/standard-formats.ts'
import { Schemas } from '../../../../src/protocol/schemas.ts'

const agentUrl = 'https://ads.harborline.example/mcp'
const formats = standardFormats(agentUrl)
const ids = (filters: Parameters<typeof filterFormats>[1]) => filterFormats(formats, filters).map((f) => f.format.format_id.id)

describe('standardFormats', () => {
  const validate = new Schemas().validator('core/format.json')

  it.each(formats.map((f) => [f.format.format_id.id, f.format] as const))('%s is an official format object', (_id, format) => {
    expect(validate(format)).toEqual([])
  })

  it('has unique ids, all owned by the agent, and fits one default page of 50', () => {
    expect(new Set(formats.map((f) => f.format.format_id.id)).size).toBe(formats.length)
    expect(formats.every((f) => f.format.format_id.agent_url === agentUrl)).toBe(true)
    expect(standardFormatIds.size).toBe(formats.length)
    expect(formats.length).toBeLessThanOrEqual(50)
  })

  it('covers the sizes and lengths that publishers use', () => {
    for (const id of [
      'display_300x250',
      'display_728x90',
      'display_160x600',
      'display_300x600',
      'display_320x50',
      'display_970x250',
    ])
      for (const suffix of ['', '_html5', '_tag']) expect(standardFormatIds).toContain(id + suffix)
    for (const family of ['vast', 'ctv_vast', 'video', 'ssai', 'audio', 'daast', 'broadcast_spot'])
      for (const seconds of [15, 30]) expect(standardFormatIds).toContain(`${family}_${seconds}s`)
  })
})

describe('filterFormats', () => {
  it('returns everything without filters', () => expect(ids({})).toHaveLength(formats.length))

  it('by format id, comparing owner addresses in canonical form', () => {
    expect(ids({ format_ids: [{ agent_url: 'HTTPS://ads.harborline.example:443/mcp/', id: 'vast_30s' }] })).toEqual(['vast_30s'])
    expect(ids({ format_ids: [{ agent_url: 'https://other.example', id: 'vast_30s' }] })).toEqual([])
  })

  it('by type', () => {
    expect(ids({ type: 'dooh' })).toHaveLength(4)
    expect(ids({ type: 'audio' })).toContain('daast_15s')
    expect(ids({ type: 'hologram' })).toEqual([])
  })

  it('by all asset types, those in repeatable groups too', () => {
    expect(ids({ asset_types: ['javascript'] }).every((id) => id.endsWith('_tag'))).toBe(true)
    expect(ids({ asset_types: ['image', 'text'] })).toContain('social_carousel')
    expect(ids({ asset_types: ['image', 'text'] })).not.toContain('display_300x250')
  })

  it('by dimensions, where one render must satisfy all limits', () => {
    expect(
      ids({ min_width: 300, max_width: 300, min_height: 250, max_height: 250, type: 'display' }).filter((id) =>
        id.startsWith('display'),
      ),
    ).toEqual([
      'display_300x250',
      'display_300x250_html5',
      'display_300x250_tag',
      'display_300x250_generative',
      'display_300x250_catalog',
    ])
    expect(ids({ max_width: 320, max_height: 50 }).filter((id) => id.startsWith('display_'))).toHaveLength(4)
    expect(ids({ min_width: 1 })).not.toContain('audio_30s')
    expect(ids({ min_width: 2000 })).toEqual([])
  })

  it('by responsiveness', () => {
    const responsive = ids({ is_responsive: true })
    expect(responsive).toContain('native_content')
    expect(responsive.length + ids({ is_responsive: false }).length).toBe(formats.length)
  })

  it('by name, ignoring case', () => expect(ids({ name_search: 'LEADERBOARD' })).toHaveLength(4))

  it('by minimum WCAG level', () => {
    expect(ids({ wcag_level: 'AAA' }).every((id) => id.startsWith('native_'))).toBe(true)
    expect(ids({ wcag_level: 'A' }).length).toBeGreaterThan(ids({ wcag_level: 'AA' }).length)
  })

  it('by disclosure positions (all) and persistence (each by some position)', () => {
    expect(ids({ disclosure_positions: ['overlay', 'end_card'] })).toContain('video_30s')
    expect(ids({ disclosure_positions: ['overlay', 'end_card'] })).not.toContain('display_300x250')
    expect(ids({ disclosure_persistence: ['initial'] })).toContain('podcast_host_read_60s')
    expect(ids({ disclosure_persistence: ['initial'] })).not.toContain('display_300x250')
  })

  it('by input and output formats', () => {
    const reference = [{ agent_url: agentUrl, id: 'display_300x250' }]
    const generative = formats.find(({ format }) => format.format_id.id === 'display_300x250_generative')
    expect(ids({ output_format_ids: reference })).toEqual(['display_300x250_generative'])
    expect(ids({ input_format_ids: reference })).toEqual([])
    const adapter = {
      ...formats[0]!,
      format: { ...formats[0]!.format, output_format_ids: reference, input_format_ids: reference },
    }
    expect(filterFormats([...formats, adapter], { output_format_ids: reference })).toEqual([generative, adapter])
    expect(filterFormats([...formats, adapter], { input_format_ids: reference })).toEqual([adapter])
  })
})

describe('sameFormat', () => {
  const own = { agent_url: agentUrl, id: 'x', width: 300, height: 250 }
  it('treats a template without parameters as any variant', () =>
    expect(sameFormat({ agent_url: agentUrl, id: 'x' }, own)).toBe(true))
  it('tells variants apart', () => expect(sameFormat({ ...own, width: 728 }, own)).toBe(false))
  it('keeps the path of an address', () => expect(canonicalAgentUrl('https://A.example/X/#y')).toBe('https://a.example/X'))
})
