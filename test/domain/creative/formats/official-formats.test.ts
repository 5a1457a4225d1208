import { describe, expect, it } from 'vitest'
import { equalReferences, officialReference, ownReference } from '../../../../src/domain/creative/formats/official-formats.ts'
import { standardFormatIds } from '../../../../src/domain/creative/formats/standard-formats.ts'

const AGENT = 'https://seller.example/mcp'
const OFFICIAL = 'https://creative.adcontextprotocol.org'

describe('official formats', () => {
  it('stand each for one standard format, there and back', () => {
    const pairs = [...standardFormatIds].map((id) => [id, officialReference(id)] as const)
    for (const [id, official] of pairs) if (official) expect(ownReference(official, AGENT)).toEqual({ agent_url: AGENT, id })
    expect(pairs.flatMap(([id, official]) => (official ? [] : [id])).toSorted()).toEqual([
      'daast_15s',
      'daast_30s',
      'display_300x250_catalog',
      'native_post',
      'podcast_host_read_60s',
      'social_carousel',
      'video_30s_generative',
    ])
  })

  it.each([
    [{ id: 'display_300x250_image' }, 'display_300x250'],
    [{ id: 'display_300x250' }, 'display_300x250'],
    [{ id: 'display_image', width: 728, height: 90 }, 'display_728x90'],
    [{ id: 'display_html', width: 300, height: 600 }, 'display_300x600_html5'],
    [{ id: 'display_js', width: 300, height: 250 }, 'display_300x250_tag'],
    [{ id: 'video_standard_30s' }, 'video_30s'],
    [{ id: 'video_standard', duration_ms: 15_000 }, 'preroll_15s'],
    [{ id: 'video_vast_30s' }, 'vast_30s'],
    [{ id: 'video_ctv_preroll_30s' }, 'ssai_30s'],
    [{ id: 'video_1080x1920', duration_ms: 15_000 }, 'social_story_video_15s'],
    [{ id: 'audio_standard_15s' }, 'audio_15s'],
    [{ id: 'dooh_transit_screen' }, 'dooh_landscape_1920x1080'],
  ])('%o stands for %s', (wanted, id) => {
    expect(ownReference({ agent_url: `${OFFICIAL}/`, ...wanted }, AGENT)).toEqual({ agent_url: AGENT, id })
    expect(ownReference({ agent_url: 'https://other.example', ...wanted }, AGENT)).toMatchObject({
      agent_url: 'https://other.example',
    })
  })

  it('that no standard format takes the files of stay what they are', () => {
    const unknown = { agent_url: OFFICIAL, id: 'video_1080x1080' }
    expect(ownReference(unknown, AGENT)).toBe(unknown)
    expect(ownReference({ agent_url: OFFICIAL, id: 'display_1x1_image' }, AGENT).agent_url).toBe(OFFICIAL)
  })

  it('are found under both names', () => {
    expect(equalReferences({ agent_url: AGENT, id: 'video_30s' }, AGENT).map(({ id }) => id)).toEqual([
      'video_30s',
      'video_standard_30s',
    ])
    expect(equalReferences({ agent_url: OFFICIAL, id: 'display_300x250' }, AGENT).map(({ id }) => id)).toEqual([
      'display_300x250',
      'display_300x250',
      'display_300x250_image',
    ])
    expect(equalReferences({ agent_url: AGENT, id: 'own_format' }, AGENT)).toHaveLength(1)
  })
})
