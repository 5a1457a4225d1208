import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GovernanceAgent, planOf, startGovernanceAgent } from '../../support/governance-agent.ts'

let agent: GovernanceAgent
beforeAll(async () => {
  agent = await startGovernanceAgent()
})
afterAll(() => agent.stop())

describe('sync_plans', () => {
  it('registers plans, says what is looked at and which regulations hold, and counts revisions', async () => {
    const plan = planOf({ policy_categories: ['fair_housing'], human_review_required: true })
    const { data } = await agent.run('sync_plans', { plans: [plan] })
    expect(data.plans[0]).toMatchObject({
      plan_id: plan.plan_id,
      status: 'active',
      version: 1,
      resolved_policies: [
        {
          policy_id: 'us_fair_housing',
          source: 'auto_applied',
          enforcement: 'must',
          reason: 'matched policy category fair_housing and jurisdiction US',
        },
      ],
    })
    expect(data.plans[0].categories).toContainEqual({ category_id: 'delegation', status: 'inactive' })
    expect(data.plans[0].categories).toContainEqual({ category_id: 'regulatory_compliance', status: 'active' })
    const again = await agent.run('sync_plans', { plans: [{ ...plan, objectives: 'Other' }] })
    expect(again.data.plans[0].version).toBe(2)
  })

  it('is idempotent: a retry makes no revision', async () => {
    const args = { idempotency_key: 'sync-plans-once-0001', plans: [planOf()] }
    await agent.run('sync_plans', args)
    const second = await agent.run('sync_plans', args)
    expect(second.data).toMatchObject({ replayed: true, plans: [{ version: 1 }] })
  })

  it.each([
    ['plans[0].flight.end', { flight: { start: '2027-02-01T00:00:00Z', end: '2027-01-01T00:00:00Z' } }],
    ['plans[0].budget.total', { budget: { total: -1, currency: 'USD', reallocation_unlimited: true } }],
    ['plans[0].budget.currency', { budget: { total: 1, currency: 'dollars', reallocation_unlimited: true } }],
    ['plans[0].plan_id', { plan_id: ' ' }],
    ['plans[0].portfolio.member_plan_ids', { plan_id: 'self', portfolio: { member_plan_ids: ['self'] } }],
    [
      'plans[0].custom_policies',
      { custom_policies: [1, 2].map(() => ({ policy_id: 'x', enforcement: 'must', policy: 'No cinema.' })) },
    ],
  ])('refuses a plan with a wrong %s, and registers nothing', async (field, change) => {
    const other = planOf()
    const { data } = await agent.run('sync_plans', { plans: [planOf(change), other] })
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field })
    expect((await agent.check(other.plan_id, 1)).data.adcp_error.code).toBe('PLAN_NOT_FOUND')
  })

  it('refuses one plan twice', async () => {
    const plan = planOf()
    const { data } = await agent.run('sync_plans', { plans: [plan, plan] })
    expect(data.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'plans[1].plan_id' })
  })

  it('two agents may use the same id; neither sees the other', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'namesake' }))
    await agent.plan({ plan_id: 'shared' })
    await agent.plan({ plan_id: 'shared', budget: { total: 1, currency: 'USD', reallocation_unlimited: true } }, other)
    expect((await agent.check('shared', 50)).data.status).toBe('approved')
    expect((await agent.check('shared', 50, {}, other)).data.status).toBe('denied')
  })
  it('lets ten portfolios hold a plan, and names the plan in the refusal of an eleventh', async () => {
    const member = await agent.plan()
    const portfolio = { member_plan_ids: [member] }
    const held: string[] = []
    for (let count = 0; count < 10; count++) held.push(await agent.plan({ portfolio }))
    const { data } = await agent.run('sync_plans', { plans: [planOf({ portfolio })] })
    const field = 'plans[0].portfolio.member_plan_ids'
    expect(data.adcp_error).toMatchObject({
      code: 'VALIDATION_ERROR',
      field,
      message: `${field} names ${member}, which 10 portfolios hold already: take it out of one of them first`,
    })
    await agent.plan({ plan_id: held[0], portfolio })
  })
})
