import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GovernanceAgent, startGovernanceAgent } from '../../support/governance-agent.ts'

let agent: GovernanceAgent
beforeAll(async () => {
  agent = await startGovernanceAgent()
})
afterAll(() => agent.stop())

async function approved(budget = 20_000) {
  const plan_id = await agent.plan()
  const { data } = await agent.check(plan_id, budget)
  return { plan_id, check_id: data.check_id, governance_context: data.governance_context }
}

describe('report_plan_outcome', () => {
  it('commits what was bought, once, however often it is reported', async () => {
    const action = await approved()
    const report = {
      ...action,
      outcome: 'completed',
      seller_response: { seller_reference: 'mb_1', packages: [{ budget: 12_000 }, { budget: 8_000 }] },
    }
    const { data } = await agent.run('report_plan_outcome', report)
    expect(data).toMatchObject({
      outcome_id: expect.stringMatching(/^out_/),
      status: 'accepted',
      committed_budget: 20_000,
      plan_summary: { total_committed: 20_000, budget_remaining: 80_000 },
    })
    const again = await agent.run('report_plan_outcome', report)
    expect(again.data.plan_summary).toEqual({ total_committed: 20_000, budget_remaining: 80_000 })
  })

  it('is idempotent', async () => {
    const args = { ...(await approved()), idempotency_key: 'report-outcome-0001', outcome: 'completed', seller_response: {} }
    const first = await agent.run('report_plan_outcome', args)
    const second = await agent.run('report_plan_outcome', args)
    expect(second.data).toMatchObject({ replayed: true, outcome_id: first.data.outcome_id, committed_budget: 20_000 })
  })

  it('a failure frees the budget', async () => {
    const action = await approved()
    await agent.run('report_plan_outcome', { ...action, outcome: 'completed', seller_response: { seller_reference: 'mb_2' } })
    const { data } = await agent.run('report_plan_outcome', {
      ...action,
      outcome: 'failed',
      error: { code: 'PRODUCT_UNAVAILABLE', message: 'gone' },
    })
    expect(data).toMatchObject({
      status: 'accepted',
      committed_budget: 0,
      plan_summary: { total_committed: 0, budget_remaining: 100_000 },
    })
  })

  it('finds what was not approved, and counts it all the same', async () => {
    const over = await agent.run('report_plan_outcome', {
      ...(await approved()),
      outcome: 'completed',
      seller_response: { committed_budget: 25_000 },
    })
    expect(over.data).toMatchObject({
      status: 'findings',
      committed_budget: 25_000,
      findings: [{ category_id: 'budget_authority', severity: 'critical' }],
    })
    const plan_id = await agent.plan()
    const report = {
      plan_id,
      governance_context: 'legacy-opaque',
      outcome: 'completed',
      seller_response: { committed_budget: 100 },
    }
    const unasked = await agent.run('report_plan_outcome', report)
    expect(unasked.data).toMatchObject({
      status: 'findings',
      committed_budget: 100,
      findings: [{ category_id: 'human_oversight', severity: 'warning' }],
    })
    const planned = { planned_delivery: { start_time: '2028-01-01T00:00:00Z' } }
    const strayed = await agent.run('report_plan_outcome', {
      ...(await approved()),
      outcome: 'completed',
      seller_response: planned,
    })
    expect(strayed.data.findings).toMatchObject([{ category_id: 'flight' }])
  })

  it('delivery is logged and commits nothing', async () => {
    const action = await approved()
    const reporting_period = { start: '2027-01-01T00:00:00Z', end: '2027-01-08T00:00:00Z' }
    const { data } = await agent.run('report_plan_outcome', {
      ...action,
      outcome: 'delivery',
      delivery: { reporting_period, spend: 100 },
    })
    expect(data).toEqual(expect.objectContaining({ status: 'accepted' }))
    expect(data).not.toHaveProperty('committed_budget')
  })

  it('a foreign plan and check are not found, exactly like absent ones', async () => {
    const action = await approved()
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const report = { ...action, outcome: 'failed' }
    const foreign = await agent.run('report_plan_outcome', report, stranger)
    const absent = await agent.run('report_plan_outcome', { ...report, plan_id: 'absent' }, stranger)
    expect(foreign.data).toEqual(absent.data)
    expect(absent.data.adcp_error).toMatchObject({ code: 'PLAN_NOT_FOUND', field: 'plan_id' })
    const own = await agent.plan({}, stranger)
    const [foreignCheck, absentCheck] = [action.check_id, 'chk_absent'].map((check_id) =>
      agent.run('report_plan_outcome', { ...report, plan_id: own, check_id }, stranger),
    )
    expect((await foreignCheck)?.data).toEqual((await absentCheck)?.data)
    expect((await absentCheck)?.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'check_id' })
  })
})
