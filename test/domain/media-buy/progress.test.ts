import { expect, it } from 'vitest'
import type { Package } from '../../../src/domain/media-buy/media-buy.ts'
import { progressOf } from '../../../src/domain/media-buy/progress.ts'

const START = Date.parse('2030-01-01T00:00:00Z')
const TEN_DAYS_MS = 240 * 3_600_000
const flight = { startsAt: new Date(START).toISOString(), endsAt: new Date(START + TEN_DAYS_MS).toISOString() }
const BUDGET = 1_000_000_000

/** The state of a flight of ten days after the share of it, when the share of the budget is spent. */
function stateAfter(elapsed: number, spent: number) {
  const packages = [{ terms: { ...flight, budgetMicros: BUDGET, pacing: 'even' } }] as unknown as Package[]
  return progressOf({ ...flight, packages }, 'active', spent * BUDGET, new Date(START + elapsed * TEN_DAYS_MS)).state
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
