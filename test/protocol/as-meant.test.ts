import { expect, it } from 'vitest'
import { asMeant } from '../../src/protocol/as-meant.ts'

const REFINEMENTS = 'refinements ([{"proposal_id": "…", "action": "revise", "ask": "…"}])'

it('puts members of one example into one row of it', () => {
  const sent = { proposal_id: 'plan_a', ask: 'less CTV' }
  const misnamed = ['proposal_id', 'ask'].map((name) => ({ pointer: `/${name}`, meant: REFINEMENTS }))
  expect(asMeant(sent, misnamed)).toEqual({ refinements: [{ proposal_id: 'plan_a', action: 'revise', ask: 'less CTV' }] })
  expect(asMeant({ ...sent, refinements: [] }, misnamed)).toBeUndefined()
})

it('moves what no example has a member for, as it is', () => {
  const moved = (meant: string) => asMeant({ budget: 500 }, [{ pointer: '/budget', meant }])
  expect(moved('budget_range ({min, currency})')).toEqual({ budget_range: 500 })
  expect(moved('total ({"amount": 1000})')).toEqual({ total: 500 })
})
