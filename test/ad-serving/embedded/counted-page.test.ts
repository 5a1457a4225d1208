import { expect, it } from 'vitest'
import { CountedPage, type Reserve } from '../../../src/ad-serving/embedded/counters/counted-page.ts'
import { Engine } from '../../../src/ad-serving/embedded/engine.ts'
import type { ServableLine } from '../../../src/ad-serving/embedded/line.ts'
import { indexed } from '../../../src/ad-serving/embedded/snapshot.ts'
import type { Visitor } from '../../../src/ad-serving/embedded/visitor.ts'
import { readWords } from '../../../src/domain/keyword-match.ts'

const NOW = new Date('2026-03-02T12:00:00Z')
const size = { width: 300, height: 250 }
const content = { kind: 'image', url: 'https://cdn.example/a.png', alt: '' } as const

function line(lineId: string, labels: readonly string[]): ServableLine {
  return {
    ...{ tenantId: 't', lineId, order: lineId },
    terms: {
      ...{ name: lineId, priority: 'standard', places: ['home'], pricing: { model: 'cpm', currency: 'USD' } },
      ...{ startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z', rateMicros: 1_000_000, units: 1_000_000 },
      ...{ pacing: 'asap', timeZone: 'UTC', caps: [{ most: 3, windowMs: 3_600_000 }], targeting: { labels } },
    },
    creatives: [{ creativeId: 'c', weight: 1, terms: { name: 'c', content, size, trackers: [] } }],
  }
}

it('competitors are not shown on one page where counters outside the store decide', async () => {
  const engine = new Engine(indexed(1, [line('saab', ['cars']), line('volvo', ['Cars']), line('coffee', [])]), () => 0)
  const slot = { place: 'home', kind: 'display', sizes: [size] } as const
  const visitor: Visitor = {
    ...{ country: 'DE', deviceType: 'desktop', devicePlatform: 'windows', browser: 'chrome', language: 'en' },
    ...{ keyValues: new Map(), audiences: [], keywords: readWords([]), isBot: false },
  }
  const slots = [slot, slot, slot]
  const page = new CountedPage({ viewer: 'anna', slots, visitor, ids: ['1', '2', '3'], now: NOW }, engine)
  // A visitor who has seen nothing: the counters give the first line that the page does not show yet.
  const reserve: Reserve = async (asked, before) => {
    const shown = new Set(Object.keys(before))
    return asked.map(({ candidates }) => {
      const found = candidates.findIndex(({ lineId }) => !shown.has(lineId))
      const lineId = candidates[found]?.lineId
      if (lineId !== undefined) shown.add(lineId)
      return found
    })
  }
  await page.fill(reserve)
  expect(page.choices.map((choice) => choice?.ready.line.lineId)).toEqual(['saab', 'coffee', undefined])
  expect(page.reserved.map(({ lineId }) => lineId)).toEqual(['saab', 'coffee'])
})
