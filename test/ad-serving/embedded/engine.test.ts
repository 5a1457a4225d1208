import { describe, expect, it } from 'vitest'
import type { Slot } from '../../../src/ad-serving/embedded/decide.ts'
import { Engine } from '../../../src/ad-serving/embedded/engine.ts'
import type { AssignedCreative, CreativeTerms, LineTerms, ServableLine } from '../../../src/ad-serving/embedded/line.ts'
import { type Placement, placeRules } from '../../../src/ad-serving/embedded/placement.ts'
import { indexed } from '../../../src/ad-serving/embedded/snapshot.ts'
import type { Visitor } from '../../../src/ad-serving/embedded/visitor.ts'
import { readWords } from '../../../src/domain/keyword-match.ts'

const START = Date.parse('2026-03-02T00:00:00Z')
const HOUR = 3_600_000
const VISITOR: Visitor = {
  country: 'DE',
  deviceType: 'desktop',
  devicePlatform: 'windows',
  browser: 'chrome',
  language: 'de',
  keyValues: new Map(),
  audiences: [],
  keywords: readWords([]),
  isBot: false,
}
const SLOT: Slot = { place: 'home', kind: 'display', sizes: [{ width: 300, height: 250 }] }

function creative(creativeId: string, more: Partial<AssignedCreative> = {}): AssignedCreative {
  const terms: CreativeTerms = {
    name: creativeId,
    content: { kind: 'image', url: 'https://cdn.example/a.png', alt: '' },
    size: { width: 300, height: 250 },
    trackers: [],
  }
  return { creativeId, terms, weight: 100, ...more }
}

function line(lineId: string, terms: Partial<LineTerms> = {}, creatives = [creative(`${lineId}-ad`)]): ServableLine {
  return {
    tenantId: 'acme',
    lineId,
    terms: {
      name: lineId,
      priority: 'standard',
      places: ['home'],
      startsAt: new Date(START).toISOString(),
      endsAt: new Date(START + 10 * 24 * HOUR).toISOString(),
      pricing: { model: 'cpm', currency: 'USD' },
      rateMicros: 5_000_000,
      units: 240_000,
      pacing: 'even',
      timeZone: 'UTC',
      ...terms,
    },
    creatives,
  }
}

const engineOf = (lines: readonly ServableLine[], chance = () => 0) => new Engine(indexed(1, lines), chance)

/** The line that a visitor gets. */
function lineFor(engine: Engine, now: number, visitor: Partial<Visitor> = {}, seen?: ReadonlyMap<string, readonly number[]>) {
  return engine.choose([SLOT], { ...VISITOR, ...visitor }, seen, now)[0]?.ready.line.lineId
}

describe('decisions', () => {
  it('serves guaranteed lines before better paid ones, and the publisher’s own ads last', () => {
    const house = line('own', { priority: 'house', rateMicros: 0 })
    const rich = line('rich', { rateMicros: 50_000_000 })
    const sold = line('sold', { priority: 'guaranteed', rateMicros: 1_000_000 })
    expect(lineFor(engineOf([house, rich, sold]), START + HOUR)).toBe('sold')
    expect(lineFor(engineOf([house, line('poor'), rich]), START + HOUR)).toBe('rich')
    expect(lineFor(engineOf([house]), START + HOUR)).toBe('own')
  })

  it('shows one of the orders whose lines share a label, all lines of it, and of none that the place refuses', () => {
    const labelled = (lineId: string, order: string, ...labels: string[]) => ({
      ...line(lineId, { targeting: { labels } }),
      order,
    })
    const lines = [labelled('a1', 'a', 'Cars'), labelled('a2', 'a', 'cars'), labelled('b', 'b', 'banks', 'CARS'), line('other')]
    const slots = Array.from({ length: 5 }, () => SLOT)
    const page = (engine: Engine) =>
      engine.choose(slots, VISITOR, undefined, START + HOUR).flatMap((choice) => choice?.ready.line.lineId ?? [])
    expect(page(engineOf(lines))).toEqual(['a1', 'a2', 'other'])
    expect(page(engineOf(lines.slice(2)))).toEqual(['b', 'other'])
    const placement: Placement = {
      ...{ placement_id: 'home', name: 'Home', kind: 'display', sizes: [], status: 'active', daily_capacity: null },
      ...{ available_from: null, available_until: null, targeting: { labels: ['Banks'] } },
    }
    const rules = new Map([['home', placeRules({ placement, timeZone: 'UTC' })]])
    expect(page(new Engine(indexed(1, lines.slice(2), rules), () => 0))).toEqual(['other'])
  })

  it('serves, of bought packages, those alone that the page matched for the place', () => {
    const lines = [line('a', { packageId: 'pkg-a' }), line('b', { packageId: 'pkg-b' }), line('own', { priority: 'house' })]
    const lineOf = (packages: readonly string[]) =>
      engineOf(lines).choose([{ ...SLOT, packages }], VISITOR, undefined, START + HOUR)[0]?.ready.line.lineId
    expect(lineOf(['pkg-b'])).toBe('b')
    expect(lineOf(['pkg-c'])).toBe('own')
    expect(lineOf([])).toBe('own')
  })

  it('serves the guaranteed line first that is furthest behind its pace', () => {
    const engine = engineOf([line('ahead', { priority: 'guaranteed' }), line('behind', { priority: 'guaranteed' })])
    engine.load([
      { lineId: 'ahead', kind: 'impression', events: 900 },
      { lineId: 'behind', kind: 'impression', events: 100 },
    ])
    expect(lineFor(engine, START + HOUR)).toBe('behind')
  })

  it('takes a click price by the impressions that a click is expected to need', () => {
    const click = line('click', { pricing: { model: 'cpc', currency: 'USD' }, rateMicros: 4_000_000, units: 100 })
    // 4 a click at one click in 400 impressions is 10 for a thousand.
    expect(lineFor(engineOf([line('mille'), click]), START + HOUR)).toBe('click')
    expect(lineFor(engineOf([line('mille', { rateMicros: 11_000_000 }), click]), START + HOUR)).toBe('mille')
  })

  it('keeps to the flight, and stops at the even pace until time catches up', () => {
    const engine = engineOf([line('a', { units: 2400 })])
    expect(lineFor(engine, START - 1)).toBeUndefined()
    // Ten an hour, and what is due two minutes later.
    engine.load([{ lineId: 'a', kind: 'impression', events: 11 }])
    expect(lineFor(engine, START + HOUR)).toBeUndefined()
    expect(lineFor(engine, START + 2 * HOUR)).toBe('a')
    expect(lineFor(engine, START + 10 * 24 * HOUR)).toBeUndefined()
  })

  it('counts decisions as delivered until their impression comes or their time is over', () => {
    const engine = engineOf([line('a', { units: 2400, pacing: 'asap' })])
    engine.load([{ lineId: 'a', kind: 'impression', events: 2399 }])
    const [choice] = engine.choose([SLOT], VISITOR, undefined, START + HOUR)
    if (!choice) throw new Error('nothing was chosen')
    engine.taken(choice, 'decision-1', START + HOUR)
    expect(lineFor(engine, START + HOUR + 1_000)).toBeUndefined()
    expect(lineFor(engine, START + HOUR + 31_000)).toBe('a')
    engine.counted('a', 'impression', 'decision-1')
    expect(lineFor(engine, START + HOUR + 32_000)).toBeUndefined()
  })

  it('serves a line with a cap only to visitors that it can count, in a rolling window', () => {
    const engine = engineOf([line('a', { caps: [{ most: 2, windowMs: HOUR }] })])
    const at = START + 5 * HOUR
    const seen = (...times: number[]) => new Map([['a', times]])
    expect(lineFor(engine, at)).toBeUndefined()
    expect(lineFor(engine, at, {}, seen())).toBe('a')
    expect(lineFor(engine, at, {}, seen(at - 1, at - HOUR + 1))).toBeUndefined()
    expect(lineFor(engine, at, {}, seen(at - 1, at - HOUR))).toBe('a')
  })

  it('rotates creatives by weight, and keeps them to their places and sizes', () => {
    const creatives = [
      creative('small', { weight: 25 }),
      creative('large', { weight: 75 }),
      creative('elsewhere', { places: ['sport'] }),
    ]
    const chosen = (chance: number) =>
      engineOf([line('a', {}, creatives)], () => chance).choose([SLOT], VISITOR, undefined, START + HOUR)[0]?.creative.creativeId
    expect([0, 0.24, 0.26, 0.99].map(chosen)).toEqual(['small', 'small', 'large', 'large'])
    const wide = { ...SLOT, sizes: [{ width: 970, height: 250 }] }
    expect(engineOf([line('a')]).choose([wide], VISITOR, undefined, START + HOUR)).toEqual([undefined])
  })

  it('shows a line once on a page', () => {
    const engine = engineOf([line('a'), line('b')])
    const chosen = engine.choose([SLOT, SLOT, SLOT], VISITOR, undefined, START + HOUR).map((each) => each?.ready.line.lineId)
    expect(chosen).toEqual(['a', 'b', undefined])
  })

  it('shows a line in each place that it has a creative for alone: a takeover fills them all', () => {
    const own = ['home', 'right'].map((place) => creative(`of-${place}`, { places: [place] }))
    const slots = [SLOT, { ...SLOT, place: 'right' }]
    const chosen = (
      terms: Partial<LineTerms>,
      creatives: readonly AssignedCreative[],
      seen?: ReadonlyMap<string, readonly number[]>,
    ) =>
      engineOf([line('a', { places: ['home', 'right'], ...terms }, [...creatives])])
        .choose(slots, VISITOR, seen, START + HOUR)
        .map((each) => each?.creative.creativeId)
    expect(chosen({}, own)).toEqual(['of-home', 'of-right'])
    expect(chosen({}, [creative('anywhere')])).toEqual(['anywhere', undefined])
    // A cap counts one at a time, and a goal has no more than what is left of it.
    expect(chosen({ caps: [{ most: 5, windowMs: HOUR }] }, own, new Map([['a', []]]))).toEqual(['of-home', undefined])
    expect(chosen({ pacing: 'asap', impressions: 1 }, own)).toEqual(['of-home', undefined])
  })
})

describe('targeting', () => {
  const monday9 = START + 9 * HOUR
  const serves = (targeting: LineTerms['targeting'], visitor: Partial<Visitor> = {}, timeZone = 'UTC', now = monday9) =>
    lineFor(engineOf([line('a', { timeZone, ...(targeting && { targeting }) })]), now, visitor) === 'a'

  it('never guesses what a visit does not say', () => {
    expect(serves({ geo_countries: ['DE'] })).toBe(true)
    expect(serves({ geo_countries: ['FR'] })).toBe(false)
    expect(serves({ geo_regions: ['DE-BE'] })).toBe(false)
    expect(serves({ geo_countries_exclude: ['FR'] })).toBe(true)
    expect(serves({ geo_countries_exclude: ['DE'] })).toBe(false)
  })

  it('knows devices, browsers, languages, audiences, key-values and words', () => {
    expect(serves({ device_type: ['mobile'] })).toBe(false)
    expect(serves({ device_platform: ['windows'], browsers: ['chrome'], language: ['de'] })).toBe(true)
    expect(serves({ audience_include: ['walkers'] })).toBe(false)
    expect(serves({ audience_include: ['walkers'] }, { audiences: ['walkers'] })).toBe(true)
    expect(serves({ audience_exclude: ['walkers'] }, { audiences: ['walkers'] })).toBe(false)
    expect(serves({ keyValues: { section: ['sport'] } }, { keyValues: new Map([['section', ['news', 'sport']]]) })).toBe(true)
    expect(serves({ keyValues: { section: ['sport'] } })).toBe(false)
    const phrase = [{ keyword: 'Trail shoes', match_type: 'phrase' as const }]
    expect(serves({ keyword_targets: phrase }, { keywords: readWords(['best trail shoes']) })).toBe(true)
    expect(serves({ negative_keywords: phrase }, { keywords: readWords(['best trail shoes']) })).toBe(false)
  })

  it('reads dayparts in the time zone of the publisher, over its change of the clock', () => {
    const morning = { daypart_targets: [{ days: ['monday' as const], start_hour: 9, end_hour: 10 }] }
    expect(serves(morning)).toBe(true)
    expect(serves(morning, {}, 'America/New_York')).toBe(false)
    // 14:00 UTC is 9:00 in New York before 2026-03-08 and 10:00 after it.
    expect(serves(morning, {}, 'America/New_York', START + 14 * HOUR)).toBe(true)
    expect(serves(morning, {}, 'America/New_York', START + (7 * 24 + 14) * HOUR)).toBe(false)
    expect(serves(morning, {}, 'America/New_York', START + (7 * 24 + 13) * HOUR)).toBe(true)
  })
})

describe('a placement that people set up', () => {
  const PLACEMENT: Placement = {
    ...{ placement_id: 'home', name: 'Home', kind: 'display', sizes: [], status: 'active', daily_capacity: null },
    ...{ available_from: null, available_until: null, targeting: {} },
  }
  const engineWith = (set: Partial<Placement>, timeZone = 'UTC', lines = [line('a')]) =>
    new Engine(indexed(1, lines, new Map([['home', placeRules({ placement: { ...PLACEMENT, ...set }, timeZone })]])), () => 0)
  const NOON = START + 12 * HOUR

  it('shows nothing while it is paused, or to what it was not made for', () => {
    expect(lineFor(engineWith({}), NOON)).toBe('a')
    expect(lineFor(engineWith({ status: 'paused' }), NOON)).toBeUndefined()
    expect(lineFor(engineWith({ kind: 'video' }), NOON)).toBeUndefined()
    expect(lineFor(engineWith({ targeting: { countries: ['AT'] } }), NOON)).toBeUndefined()
    expect(lineFor(engineWith({ targeting: { countries: ['AT'] } }), NOON, { country: 'AT' })).toBe('a')
  })

  it('shows ads from its first to its last day in the time zone of the publisher', () => {
    const engine = engineWith({ available_from: '2026-03-03', available_until: '2026-03-04' }, 'America/New_York')
    const at = (text: string) => lineFor(engine, Date.parse(text))
    expect([at('2026-03-03T04:59:59Z'), at('2026-03-03T05:00:00Z')]).toEqual([undefined, 'a'])
    expect([at('2026-03-05T04:59:59Z'), at('2026-03-05T05:00:00Z')]).toEqual(['a', undefined])
  })

  it('takes the sizes alone that it has, and all of them where the page says none', () => {
    expect(lineFor(engineWith({ sizes: ['728x90'] }), NOON)).toBeUndefined()
    expect(lineFor(engineWith({ sizes: ['728x90', '300x250'] }), NOON)).toBe('a')
    const [choice] = engineWith({ sizes: ['300x250'] }).choose([{ ...SLOT, sizes: [] }], VISITOR, undefined, NOON)
    expect(choice?.ready.line.lineId).toBe('a')
  })

  it('limits each line for a visitor beside the cap of the line', () => {
    const targeting: Placement['targeting'] = { frequency_cap: { max_impressions: 2, window: { interval: 1, unit: 'hours' } } }
    const engine = engineWith({ targeting })
    expect(lineFor(engine, NOON)).toBeUndefined()
    expect(lineFor(engine, NOON, {}, new Map())).toBe('a')
    expect(lineFor(engine, NOON, {}, new Map([['a', [NOON - 1, NOON - 2]]]))).toBeUndefined()
    expect(engine.snapshot.capWindows.get('home')).toBe(HOUR)
    const strict = engineWith({ targeting }, 'UTC', [line('a', { caps: [{ most: 1, windowMs: 2 * HOUR }] })])
    expect(lineFor(strict, NOON, {}, new Map([['a', [NOON - 90 * 60_000]]]))).toBeUndefined()
  })
})

describe('a limit by the day', () => {
  const DAY = 24 * HOUR
  const dayOf = (at: number) => Math.floor(at / DAY)
  /** Impressions that are shown and counted until nothing more is. */
  const shown = (engine: Engine, at: number): number => {
    for (let count = 0; count < 1000; count++) {
      const now = at + count * 300
      const [choice] = engine.choose([SLOT], VISITOR, undefined, now)
      if (!choice) return count
      const id = `${at}-${count}`
      engine.taken(choice, id, now)
      engine.counted(choice.ready.line.lineId, 'impression', id)
    }
    return Number.POSITIVE_INFINITY
  }

  it('of a line ends what it serves until the next day of UTC', () => {
    const capped = line('capped', { pacing: 'asap', dailyCap: { ownMicros: 50_000 } })
    const engine = engineOf([capped])
    expect(shown(engine, START + HOUR)).toBe(10)
    expect(shown(engine, START + DAY - HOUR)).toBe(0)
    expect(shown(engine, START + DAY + 1)).toBe(10)
  })

  it('of an order is that of its lines together, those that ended among them, and pending decisions count', () => {
    const shared = (lineId: string) => ({
      ...line(lineId, { pacing: 'asap', dailyCap: { sharedMicros: 100_000 } }),
      order: 'order',
    })
    const engine = engineOf([shared('a'), shared('b')])
    const at = START + HOUR
    engine.load([], [], { day: dayOf(at), costs: [{ lineId: 'ended', order: 'order', micros: 50_000 }] })
    const [pending] = engine.choose([SLOT], VISITOR, undefined, at)
    if (!pending) throw new Error('nothing is shown')
    engine.taken(pending, 'pending', at)
    expect(shown(engine, at + 300)).toBe(9)
    expect(shown(engine, at + 60_000)).toBe(1)
  })

  it('that buys less than one unit buys none', () => {
    const clicks = line('clicks', {
      pricing: { model: 'cpc', currency: 'USD' },
      pacing: 'asap',
      units: 10,
      dailyCap: { ownMicros: 4_000_000 },
    })
    expect(lineFor(engineOf([clicks]), START + HOUR)).toBeUndefined()
  })
})
