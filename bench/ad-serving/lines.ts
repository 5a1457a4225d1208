import type { CreativeTerms, ServableLine } from '../../src/ad-serving/embedded/line.ts'
import type { Visitor } from '../../src/ad-serving/embedded/visitor.ts'
import { readWords } from '../../src/domain/keyword-match.ts'

const DAY_MS = 86_400_000
/** Places of the publisher: each line is sold on two of them. */
export const PLACES = Array.from({ length: 20 }, (_, index) => `place-${index}`)
const COUNTRIES = ['DE', 'AT', 'CH', 'FR', 'US'] as const

const CREATIVE: CreativeTerms = {
  name: 'creative',
  content: { kind: 'image', url: 'https://cdn.example/a.png', alt: '' },
  size: { width: 300, height: 250 },
  clickUrl: 'https://shop.example/',
  trackers: [],
}

/**
 * Active lines of one publisher: a third guaranteed, a quarter of them targeted to a country, all far from their goals, two creatives each.
 */
export function activeLines(count: number, startsAt: number): ServableLine[] {
  return Array.from({ length: count }, (_, index): ServableLine => {
    const country = COUNTRIES[index % COUNTRIES.length] ?? 'DE'
    return {
      tenantId: 'bench',
      lineId: `line-${index}`,
      terms: {
        name: `line-${index}`,
        priority: index % 3 === 0 ? 'guaranteed' : 'standard',
        places: [placeOf(index), placeOf(index + 1)],
        startsAt: new Date(startsAt).toISOString(),
        endsAt: new Date(startsAt + 30 * DAY_MS).toISOString(),
        pricing: { model: 'cpm', currency: 'USD' },
        rateMicros: 1_000_000 + (index % 50) * 100_000,
        units: 10_000_000,
        pacing: 'even',
        ...(index % 4 === 3 && { targeting: { geo_countries: [country] } }),
        timeZone: 'UTC',
      },
      creatives: ['a', 'b'].map((name) => ({ creativeId: `${index}-${name}`, terms: CREATIVE, weight: 50 })),
    }
  })
}

function placeOf(index: number): string {
  return PLACES[index % PLACES.length] ?? ''
}

export function visitorOf(index: number): Visitor {
  return {
    country: COUNTRIES[index % COUNTRIES.length] ?? 'DE',
    deviceType: 'desktop',
    devicePlatform: 'windows',
    browser: 'chrome',
    language: 'en',
    keyValues: new Map(),
    audiences: [],
    keywords: readWords([]),
    isBot: false,
  }
}
