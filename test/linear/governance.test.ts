import { describe, expect, it } from 'vitest'
import { checkPlan } from '../../src/domain/governance/check-plan.ts'
import { decideSteps } from '../../src/domain/governance/decide.ts'
import type { Policy } from '../../src/domain/policy.ts'
import { action, decided, document, NOW } from '../domain/governance/fixtures.ts'
import { growsTooFast } from '../support/growth.ts'

const policies = (count: number, textOf: (at: number) => string): Policy[] =>
  Array.from({ length: count }, (_, at) => ({ policy_id: `p${at}`, enforcement: 'must', policy: textOf(at) }))
const REVIEW = 'a must review. '.repeat(333)

describe('what a check says', () => {
  it('is each thing once a policy, however often its text has it', () => {
    const { remarks, escalation } = decided({ custom_policies: policies(2, () => REVIEW) })
    expect(remarks.map(({ policyId }) => policyId)).toEqual(['p0', 'p1'])
    expect(escalation).toBe('a policy asks for a review by a person')
  })

  it('is the weightiest of many findings, with how many more there are, and is decided by all of them', () => {
    const { remarks, explanation, status } = decided({
      custom_policies: [
        ...policies(150, () => 'We like trees.'),
        { policy_id: 'last', enforcement: 'must', policy: 'No spend over 500 USD.' },
        { policy_id: 'review', enforcement: 'must', policy: 'Every buy requires review.' },
      ],
    })
    expect(status).toBe('denied')
    expect(remarks).toHaveLength(101)
    expect(remarks.at(-1)).toMatchObject({
      severity: 'warning',
      effect: 'none',
      explanation: '52 more findings are not listed; all of them count for the decision',
      details: { not_listed: { critical: 0, warning: 52, info: 0 } },
    })
    expect(remarks.slice(98, 100).map(({ policyId }) => policyId)).toEqual(['last', 'review'])
    expect(explanation).toContain('a policy asks for a review by a person')
  })

  it('has no reason, details or list that is as long as what a buyer sends', () => {
    const countries = Array.from({ length: 5_000 }, (_, at) => `country ${at}`)
    const { remarks, explanation } = decided({ countries: ['US'] }, { countries })
    expect(JSON.stringify({ remarks, explanation }).length).toBeLessThan(5_000)
    const amounts = policies(20, (at) => `${'No spend over 1. '.repeat(100)}No spend over ${at + 2}.`)
    const offer = decided({ custom_policies: amounts })
    expect(offer.explanation).toMatch(/; 11 more$/)
  })

  it('costs no more than in proportion to the policies', () => {
    const make = (count: number) => ({ custom_policies: policies(count, (at) => `${REVIEW} No spend over ${at + 1}.`) })
    expect(growsTooFast(make, (plan) => decided(plan), 96)).toBe(false)
  })

  it('is worked out in steps, of which none is of more than one policy', () => {
    const plan = { ...{ planId: 'p', principalId: 'b', version: 1, planHash: 'h', createdAt: '', updatedAt: '' } }
    const input = { commitments: [], portfolios: [], accepted: false, counterproposals: 0, action: action() }
    const steps = decideSteps(
      { ...input, plan: { ...plan, document: document({ custom_policies: policies(100, () => REVIEW) }) } },
      NOW,
    )
    let count = 0
    while (!steps.next().done) count++
    expect(count).toBeGreaterThanOrEqual(100 + 100 * 333)
  })
})

describe('a plan', () => {
  const refusal = (change: object) => {
    try {
      checkPlan(document(change), 'plans[0]', false)
      return undefined
    } catch (error) {
      return error
    }
  }

  it('has so many policies, and so many characters of them and in all, and says what to send instead', () => {
    expect(refusal({ custom_policies: policies(100, () => 'x'.repeat(900)) })).toBeUndefined()
    expect(refusal({ custom_policies: policies(101, () => 'x') })).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'plans[0].custom_policies',
      message:
        'plans[0].custom_policies has 101 policies; at most 100 are checked: join those that say the same, or divide the plan into several',
    })
    expect(refusal({ custom_policies: policies(25, () => REVIEW) })).toMatchObject({
      field: 'plans[0].custom_policies',
      message: expect.stringContaining('at most 100000 are checked: shorten the texts'),
    })
    expect(refusal({ portfolio: { member_plan_ids: ['m'], shared_exclusions: policies(101, () => 'x') } })).toMatchObject({
      field: 'plans[0].portfolio.shared_exclusions',
    })
    expect(refusal({ regions: Array.from({ length: 40_000 }, () => 'US-CA') })).toMatchObject({
      field: 'plans[0]',
      message: expect.stringContaining('a plan may have 200000: divide it into several plans'),
    })
  })
})
