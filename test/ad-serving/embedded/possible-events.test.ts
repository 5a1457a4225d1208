import { describe, expect, it } from 'vitest'
import { creativeTermsOf } from '../../../src/ad-serving/embedded/creative-terms.ts'
import { EVENT_KINDS } from '../../../src/ad-serving/embedded/line.ts'
import { couldHappen, playingTime } from '../../../src/ad-serving/embedded/possible-events.ts'

describe('what an ad can have made', () => {
  it('is, of a video, what its length allows since the decision, less a second', () => {
    const possibleAfter = (sinceMs: number) => EVENT_KINDS.filter((kind) => couldHappen(kind, 30_000, sinceMs))
    const always = ['impression', 'click', 'start', 'error']
    expect(possibleAfter(0).sort()).toEqual([...always].sort())
    expect(possibleAfter(1_749)).not.toContain('viewable')
    expect(possibleAfter(1_750)).toContain('viewable')
    expect(possibleAfter(6_499)).not.toContain('firstQuartile')
    expect(possibleAfter(6_500)).toContain('firstQuartile')
    expect(possibleAfter(13_999)).not.toContain('midpoint')
    expect(possibleAfter(28_999)).not.toContain('complete')
    expect(possibleAfter(29_000)).toEqual(EVENT_KINDS)
  })

  it('is, of what plays nothing, no event of a player; of a length that is not known, every one', () => {
    expect(EVENT_KINDS.filter((kind) => couldHappen(kind, undefined, 1e9))).toEqual(['impression', 'viewable', 'click', 'error'])
    expect(EVENT_KINDS.filter((kind) => couldHappen(kind, undefined, 749))).toEqual(['impression', 'click', 'error'])
    expect(EVENT_KINDS.filter((kind) => couldHappen(kind, undefined, 750))).toContain('viewable')
    expect(EVENT_KINDS.filter((kind) => couldHappen(kind, 0, 2_000))).toEqual(EVENT_KINDS)
  })

  it('follows from the creative: a length that nobody declared is the shortest that is sold', () => {
    const video = { kind: 'video', url: 'https://cdn.example/v.mp4', mimeType: 'video/mp4', width: 640, height: 360 } as const
    expect(playingTime({ ...video, durationMs: 6_000 })).toBe(6_000)
    expect(playingTime({ ...video, durationMs: 15_000, isAssumed: true })).toBe(6_000)
    expect(playingTime({ kind: 'vast', url: 'https://vast.example/' })).toBe(6_000)
    expect(playingTime({ kind: 'image', url: 'https://cdn.example/a.png', alt: '' })).toBeUndefined()
  })

  it('is, of a length that a buyer alone declares, no longer than the shortest spot; of a format that has one, its own', () => {
    const tag = (durationMs: number) => playingTime({ kind: 'vast', url: 'https://vast.example/', durationMs, isDeclared: true })
    expect([tag(3_600_000), tag(15_000), tag(5_000)]).toEqual([6_000, 6_000, 5_000])
    expect(couldHappen('complete', tag(15_000), 5_000)).toBe(true)
    expect(couldHappen('complete', tag(15_000), 4_999)).toBe(false)
    expect(couldHappen('complete', playingTime({ kind: 'vast', url: 'https://vast.example/', durationMs: 15_000 }), 6_000)).toBe(
      false,
    )
  })

  it('is that of the format where the creative says none', () => {
    const playing = (asset: object, length: object, delivery: object) => {
      const formatId = { agent_url: 'https://ads.example/mcp', id: 'spot', ...length }
      const format = { format_id: formatId, name: 'Spot', delivery }
      const terms = creativeTermsOf({ name: 'Spot', formatId, assets: { spot: asset }, tags: [] } as never, format as never)
      return terms && playingTime(terms.content as never)
    }
    const tag = { asset_type: 'vast', delivery_type: 'url', url: 'https://vast.example/' }
    const file = { asset_type: 'video', url: 'https://cdn.example/v.mp4', width: 640, height: 360 }
    for (const asset of [tag, file]) {
      expect(playing(asset, {}, { duration_ms: 30_000 })).toBe(30_000)
      expect(playing(asset, { duration_ms: 15_000 }, {})).toBe(15_000)
      expect(playing({ ...asset, duration_ms: 6_000 }, {}, { duration_ms: 30_000 })).toBe(6_000)
      // No longer than the format, whatever the creative or its reference declares.
      expect(playing({ ...asset, duration_ms: 3_600_000 }, {}, { duration_ms: 15_000 })).toBe(15_000)
      expect(playing(asset, { duration_ms: 3_600_000 }, { duration_ms: 15_000 })).toBe(15_000)
      expect(playing(asset, {}, {})).toBe(6_000)
      expect(playing({ ...asset, duration_ms: 3_600_000 }, {}, {})).toBe(6_000)
    }
  })
})
