import { expect, it } from 'vitest'
import { attribute, type IncomingEvent } from '../../src/domain/media-buy/attribute-conversions.ts'
import { type Candidate, candidateOf } from '../../src/domain/media-buy/attribution-candidate.ts'
import type { MediaBuy, Package, Window } from '../../src/domain/media-buy/media-buy.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { growsTooFast } from '../support/growth.ts'

const each = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString()

function candidate(index: number, more: Partial<Candidate> = {}): Candidate {
  const ids = { mediaBuyId: 'mb', packageId: `mb-${index}`, currency: 'USD' }
  return { ...ids, ran: [[0, Number.POSITIVE_INFINITY]], goals: undefined, counts: new Set(['purchase']), ...more }
}

function event(index: number, contentIds: readonly string[] = []): IncomingEvent {
  const stored = { eventType: 'purchase', eventKey: `e${index}`, eventTime: at(index), identifiers: ['p'], matched: true }
  const wire = { event_id: `e${index}`, event_type: 'purchase', event_time: at(index) }
  return { wire, stored: { ...stored, document: { contentIds } }, eventSourceId: 'web', isClick: true } as IncomingEvent
}

/** A package whose terms changed each minute and whose ads did every other. */
function changed(count: number): [MediaBuy, Package] {
  const terms = (minute: number) => ({ from: at(minute), startsAt: at(0), endsAt: at(count), running: minute % 3 !== 0 })
  const pastServing = each(count, (minute): Window => ({ from: at(2 * minute), until: at(2 * minute + 1) }))
  const pkg = { packageId: 'mb-1', needsCreatives: true, pricing: { model: 'cpm' }, pastServing, pastTerms: each(count, terms) }
  return [{ mediaBuyId: 'mb', currency: 'USD' } as MediaBuy, { ...pkg, terms: terms(count) } as unknown as Package]
}

it('a package whose terms and ads changed often is read in proportion to both', () => {
  expect(growsTooFast(changed, ([buy, pkg]) => candidateOf(buy, pkg, []), 4_000)).toBe(false)
})

it('events are held against packages in steps, and a product of items, catalogs and packages is not made', () => {
  const catalogs = each(200, (index) => `c${index}`)
  const packages = each(1_000, (index) => candidate(index, { catalogs: [`c${index % 200}`] }))
  const holding = new Map(each(2_000, (index) => [`i${index}`, index % 2 === 0 ? catalogs.slice(0, 1) : []] as const))
  const about = [...holding.keys()]
  const steps = attribute(
    each(20, (index) => event(index, about)),
    packages,
    holding,
    () => 0,
  )
  let count = 0
  for (let step = steps.next(); ; step = steps.next(), count += 1) {
    if (!step.done) continue
    // Of the first catalog alone, whose items the events are about.
    expect(new Set(step.value.map((conversion) => conversion?.packageId))).toEqual(new Set(['mb-0']))
    expect(step.value[0]?.contentIds).toHaveLength(1_000)
    break
  }
  expect(count).toBeGreaterThan(5)
  expect(
    growsTooFast(
      (some: number) => each(some, (index) => event(index)),
      (some) => atOnce(attribute(some, packages, new Map(), () => 0)),
      200,
    ),
  ).toBe(false)
})

it('picks one of packages that are alike by the key of the event', () => {
  const packages = each(10, (index) => candidate(index))
  const chosen = [0, 0.35, 0.999].map((share) => atOnce(attribute([event(1)], packages, new Map(), () => share))[0]?.packageId)
  expect(chosen).toEqual(['mb-0', 'mb-3', 'mb-9'])
})

it('credits the moment of the last touch, through versions of terms and windows of ads', () => {
  const [buy, pkg] = changed(6)
  const found = candidateOf(buy, pkg, [])
  const minutes = found?.ran.map((stretch) => stretch.map((moment) => (moment - Date.parse(at(0))) / 60_000))
  // Terms let it run from 1 to 3 and 4 to 6; ads were there from 0 to 1, 2 to 3 and 4 to 5.
  expect(minutes).toEqual([
    [1, 1],
    [2, 2],
    [2, 3],
    [4, 5],
    [6, 6],
  ])
})
