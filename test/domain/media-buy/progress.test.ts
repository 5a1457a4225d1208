import { expect, it } from 'vitest'
import type { Package } from '../../../src/domain/media-buy/media-buy.ts'
import { offPlan, partOf, progressOf } from '../../../src/domain/media-buy/progress.ts'
import { orderOffPlan } from '../../../src/operator/orders/off-plan.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const TEN_DAYS_MS = 240 * 3_600_000
const flight = { startsAt: new Date(START).toISOString(), endsAt: new Date(START + TEN_DAYS_MS).toISOString() }
const BUDGET = 1_000_000_000

/** A package of the flight at a price, and what was counted of it. */
function part(model: string, counted: { spendMicros: number; impressions: number }, pricing: object = {}) {
  const terms = { ...flight, budgetMicros: BUDGET, rateMicros: BUDGET, pacing: 'even' }
  return partOf({ terms, pricing: { model, ...pricing } } as unknown as Package, counted)
}

/** The state of a flight of ten days after the share of it, when the share of the budget is spent. */
function stateAfter(elapsed: number, spent: number) {
  return progressOf(
    flight,
    [part('cpm', { spendMicros: spent * BUDGET, impressions: 0 })],
    'active',
    new Date(START + elapsed * TEN_DAYS_MS),
  ).state
}

it.each([
  ['minutes after its start, before anything was shown', 0.0005, 0, 'on_track'],
  ['minutes after its start, with a few impressions', 0.0005, 0.002, 'on_track'],
  ['a day after its start, with nothing', 0.1, 0, 'behind'],
  ['in the middle, by less than a tenth', 0.5, 0.46, 'on_track'],
  ['in the middle, by more than a tenth', 0.5, 0.44, 'behind'],
  ['in the middle, too fast', 0.5, 0.56, 'ahead'],
])('an order %s', (_when, elapsed, spent, state) => {
  expect(stateAfter(elapsed, spent)).toBe(state)
})

it.each([
  ['behind', 0.09, undefined],
  ['behind', 0.1, 'behind'],
  ['ahead', 0.5, 'ahead'],
  ['on_track', 0.5, undefined],
  ['none', 0.5, undefined],
] as const)('an order that is %s after %d of its flight is worth a look: %s', (state, elapsed, off) => {
  expect(offPlan({ state, elapsed })).toBe(off)
  const pacing = { state, elapsed }
  expect(orderOffPlan({ pacing, paused: false, sandbox: false })).toBe(off)
  expect(orderOffPlan({ pacing, paused: true, sandbox: false })).toBeUndefined()
  expect(orderOffPlan({ pacing, paused: false, sandbox: true })).toBeUndefined()
})

it('of a takeover is told by impressions, and what is earned of its flat price is another figure', () => {
  const takeover = part('flat_rate', { spendMicros: BUDGET, impressions: 15 }, { estimatedImpressions: 15_000 })
  const over = new Date(START + TEN_DAYS_MS)
  expect(progressOf(flight, [takeover], 'completed', over)).toEqual({
    elapsed: 1,
    delivered: 0.001,
    recognized: 1,
    expected: 1,
    state: 'behind',
  })
  // Where no impressions were ordered, time is what was ordered.
  const plain = part('flat_rate', { spendMicros: BUDGET, impressions: 15 })
  expect(progressOf(flight, [plain], 'completed', over)).toMatchObject({ delivered: 1, recognized: 1, state: 'on_track' })
})
