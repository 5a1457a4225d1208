import { expect, test } from 'vitest'
import type { Snapshot } from '../../../src/domain/proposal/negotiated.ts'
import { verdictOf, withShortfall } from '../../../src/domain/proposal/revision-verdict.ts'

const terms = {
  total_budget: { amount: 20_000, currency: 'EUR' },
  purchases: [{ product_id: 'news', pricing: { currency: 'EUR' } }],
}
const draft = { negotiated: { terms } } as unknown as Snapshot
const facts = { count: 1, fault: undefined, applied: ['dropped ctv'], refused: ['"blue" names no change'], isUnread: true }

test('what was applied of an ask is said before what was not', () => {
  expect(verdictOf({ proposal_id: 'p', ask: 'drop ctv, blue' }, [draft], facts)).toEqual({
    outcome: 'partial',
    reason_code: 'uninterpreted',
    reason: 'applied: dropped ctv. not possible: "blue" names no change',
  })
  expect(verdictOf({ proposal_id: 'p', ask: 'drop ctv' }, [draft], { ...facts, refused: [] })).toEqual({ outcome: 'revised' })
})

test('a constraint that is not met stands beside those that are, and what the ask came to', () => {
  const constraints = { total_budget: { max: 30_000, currency: 'EUR' }, cpm: { max: 1, currency: 'EUR' } }
  expect(verdictOf({ proposal_id: 'p', ask: 'drop ctv, blue', constraints }, [draft], facts).reason).toBe(
    'applied: total_budget is met; dropped ctv. cannot be met: cpm; not possible: "blue" names no change',
  )
  expect(verdictOf({ proposal_id: 'p', alternatives: { count: 2 } }, [draft], { ...facts, count: 2 }).reason).toBe(
    'applied: dropped ctv. 1 of 2 plans with terms of their own can be made; not possible: "blue" names no change',
  )
})

test('nothing is called applied without a draft, and no reason is said twice', () => {
  const none = verdictOf({ proposal_id: 'p', ask: 'drop ctv' }, [], { ...facts, fault: 'too late' })
  expect(none).toEqual({ outcome: 'unable', reason_code: 'source_unavailable', reason: 'too late' })
  expect(
    withShortfall({ outcome: 'partial', reason_code: 'x', reason: 'applied: a. not possible: short' }, 'a', 'short').reason,
  ).toBe('applied: a. not possible: short')
})
