import type { Slot } from '../../src/ad-serving/embedded/decide.ts'
import type { Visitor } from '../../src/ad-serving/embedded/visitor.ts'
import { readWords } from '../../src/domain/keyword-match.ts'

/** Monday, 00:00 UTC. */
export const WEEK_START = Date.parse('2026-03-02T00:00:00Z')
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS
/** Wednesday from 14:00 to 15:00 UTC: the pages are down. */
const DEAD_HOUR = 2 * 24 + 14
/** Periods in which requests come evenly. */
const PERIOD_MS = HOUR_MS / 4

/** One request of a page. */
export interface PageRequest {
  /** Milliseconds. */
  readonly at: number
  readonly slot: Slot
  readonly visitor: Visitor
}

/** Requests of an hour of the week against the mean: least at 6:00, most at 18:00, none in the dead hour. */
export function trafficAt(hourOfWeek: number): number {
  if (hourOfWeek === DEAD_HOUR) return 0
  return 1 + 0.85 * Math.cos((2 * Math.PI * ((hourOfWeek % 24) - 18)) / 24)
}

const COUNTRIES = [
  ['DE', 0.5],
  ['AT', 0.28],
  ['FR', 0.2],
  ['LU', 0.02],
] as const

/** A week of requests, oldest first; about `total` of them, the same ones for the same numbers. */
export function* weekOfRequests(total: number, random: () => number): Generator<PageRequest> {
  const periods = WEEK_MS / PERIOD_MS
  const weights = Array.from({ length: periods }, (_, index) => trafficAt(Math.floor((index * PERIOD_MS) / HOUR_MS)))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  let owed = 0
  for (const [index, weight] of weights.entries()) {
    owed += (total * weight) / sum
    const count = Math.floor(owed)
    owed -= count
    const times = Array.from({ length: count }, () => Math.floor(random() * PERIOD_MS)).toSorted((a, b) => a - b)
    for (const time of times) yield requestAt(WEEK_START + index * PERIOD_MS + time, total, random)
  }
}

function requestAt(at: number, total: number, random: () => number): PageRequest {
  const place = random() < 0.6 ? 'front' : 'sport'
  // One in five visits has an id. Twenty people come all the time, others about twenty times.
  const people = random() < 0.1 ? 20 : Math.ceil(total / 100)
  const viewer = random() < 0.2 ? `viewer-${Math.floor(random() * people)}` : undefined
  return {
    at,
    slot: { place, kind: 'display', sizes: [{ width: 300, height: 250 }] },
    visitor: {
      country: countryOf(random()),
      deviceType: random() < 0.6 ? 'mobile' : 'desktop',
      devicePlatform: 'unknown',
      browser: 'chrome',
      language: 'de',
      keyValues: new Map(),
      audiences: [],
      keywords: readWords([]),
      ...(viewer !== undefined && { viewer }),
      isBot: random() < 0.02,
    },
  }
}

function countryOf(chance: number): string {
  let rest = chance
  for (const [country, share] of COUNTRIES) {
    rest -= share
    if (rest < 0) return country
  }
  return 'DE'
}
