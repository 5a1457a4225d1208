import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentClient } from '../../support/client.ts'
import { type GovernanceAgent, startGovernanceAgent } from '../../support/governance-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

const SELLER = 'https://seller.example/mcp'

describe.skipIf(!LINES.includes('3.2'))('report_plan_adjustment', () => {
  let agent: GovernanceAgent
  let seller: AgentClient
  let stranger: AgentClient
  beforeAll(async () => {
    agent = await startGovernanceAgent({ contracts })
    seller = agent.client(await agent.addBuyer({ principal: 'seller' }))
    stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    await agent.server.store.transaction((tx) =>
      tx.updateTable('principals').set({ agent_url: SELLER }).where('principal_id', '=', 'seller').execute(),
    )
  }, 120_000)
  afterAll(() => agent?.stop())

  const adjust = (args: object, client = seller) => agent.run('report_plan_adjustment', { adcp_version: '3.2', ...args }, client)

  /** A plan of 100,000 of which 60,000 are committed to the seller. */
  async function bought() {
    const plan = await agent.plan({ approved_sellers: [SELLER] })
    const { data } = await agent.check(plan, 60_000)
    const action = { plan_id: plan, check_id: data.check_id, governance_context: data.governance_context, outcome: 'completed' }
    const reported = await agent.run('report_plan_outcome', {
      ...action,
      seller_response: { seller_reference: 'mb_1', committed_budget: 60_000 },
    })
    return { plan, action, outcome: reported.data.outcome_id }
  }
  let ids = 0
  function reportOf({ plan, outcome }: { plan: string; outcome: string }, change: object = {}) {
    ids += 1
    return {
      action: 'report',
      plan_id: plan,
      outcome_id: outcome,
      seller_reference: 'mb_1',
      seller_adjustment_id: `sa_${ids}`,
      adjustment_type: 'decommitment',
      amount: { amount: 15_000, currency: 'USD' },
      reason: 'the last week was released',
      effective_at: '2027-01-14T00:00:00Z',
      evidence: {
        evidence_id: `ev_${ids}`,
        evidence_type: 'decommitment_agreement',
        digest: `sha256:${'a'.repeat(64)}`,
        issued_at: '2027-01-14T00:00:00Z',
      },
      ...change,
    }
  }

  it('gives headroom back when the owner of the plan accepts what the seller reported, and not before', async () => {
    const { plan, outcome } = await bought()
    const reported = await adjust(reportOf({ plan, outcome }))
    expect(reported.data).toMatchObject({
      adjustment_id: expect.stringMatching(/^adj_/),
      adjustment_state: 'reported',
      amount: { amount: 15_000, currency: 'USD' },
      headroom_restored: 0,
      plan_summary: { gross_committed: 60_000, adjustments_reported: 15_000, ledger_committed: 60_000, budget_remaining: 40_000 },
    })
    expect((await agent.check(plan, 50_000)).data.status).toBe('denied')
    const review = { action: 'review', plan_id: plan, adjustment_id: reported.data.adjustment_id, decision: 'accept' }
    expect((await adjust(review)).data.adcp_error.code).toBe('PLAN_NOT_FOUND')
    expect((await adjust(review, agent.buyer)).data).toMatchObject({
      adjustment_state: 'verified',
      headroom_restored: 15_000,
      plan_summary: {
        accounting_mode: 'gross_commitment',
        gross_committed: 60_000,
        adjustments_verified: 15_000,
        net_cost: 45_000,
        headroom_restored: 15_000,
        ledger_committed: 45_000,
        net_committed: 45_000,
        budget_remaining: 55_000,
      },
    })
    expect((await agent.check(plan, 50_000)).data.status).toBe('approved')
    expect((await adjust(review, agent.buyer)).data.adcp_error).toMatchObject({ code: 'INVALID_STATE', field: 'adjustment_id' })
    const log = await agent.run('get_plan_audit_logs', { adcp_version: '3.2', plan_ids: [plan], include_entries: true })
    expect(log.data.plans[0]).toMatchObject({
      budget: { committed: 45_000, gross_committed: 60_000, remaining: 55_000 },
      summary: { adjustments_reported: 1, adjustments_verified: 1 },
    })
    const entries: { type: string }[] = log.data.plans[0].entries
    expect(entries.find(({ type }) => type === 'adjustment')).toMatchObject({ outcome_id: outcome, adjustment_state: 'verified' })
    expect(log.data.ext.audit_chain[0].intact).toBe(true)
  })

  it('counts refunds as cost that was saved, without headroom, and make-goods as neither', async () => {
    const known = await bought()
    for (const [type, evidence_type, net] of [
      ['refund', 'refund_settlement', 45_000],
      ['makegood', 'makegood_agreement', 45_000],
    ] as const) {
      const plain = reportOf(known)
      const report = { ...plain, adjustment_type: type, evidence: { ...plain.evidence, evidence_type } }
      const { data } = await adjust(report)
      const review = { action: 'review', plan_id: known.plan, adjustment_id: data.adjustment_id, decision: 'accept' }
      expect((await adjust(review, agent.buyer)).data).toMatchObject({
        headroom_restored: 0,
        plan_summary: { net_cost: net, ledger_committed: 60_000 },
      })
    }
  })

  it('a disputed one changes nothing and leaves its amount to others', async () => {
    const known = await bought()
    const most = { amount: { amount: 60_000, currency: 'USD' } }
    const { data } = await adjust(reportOf(known, most))
    expect((await adjust(reportOf(known))).data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'amount.amount' })
    const review = { action: 'review', plan_id: known.plan, adjustment_id: data.adjustment_id }
    const bare = await adjust({ ...review, decision: 'dispute' }, agent.buyer)
    expect(bare.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'reason' })
    const disputed = await adjust({ ...review, decision: 'dispute', reason: 'never agreed' }, agent.buyer)
    expect(disputed.data).toMatchObject({ adjustment_state: 'disputed', plan_summary: { ledger_committed: 60_000 } })
    expect((await adjust(reportOf(known, most))).data.adjustment_state).toBe('reported')
  })

  it('is the same adjustment when it is reported again, and never another one under its ids', async () => {
    const known = await bought()
    const report = reportOf(known)
    const first = await adjust(report)
    expect((await adjust(report)).data).toMatchObject({
      adjustment_id: first.data.adjustment_id,
      plan_summary: { adjustments_reported: 15_000 },
    })
    const other = { ...report, amount: { amount: 1, currency: 'USD' } }
    expect((await adjust(other)).data.adcp_error).toMatchObject({ code: 'CONFLICT', field: 'seller_adjustment_id' })
    const reused = { ...reportOf(known), evidence: report.evidence }
    expect((await adjust(reused)).data.adcp_error).toMatchObject({ code: 'CONFLICT', field: 'evidence.evidence_id' })
  })

  it('is reported by the seller of the outcome alone: others learn nothing of it', async () => {
    const known = await bought()
    const report = reportOf(known)
    const foreign = await adjust(report, stranger)
    const absent = await adjust({ ...report, outcome_id: 'out_absent' }, stranger)
    expect(foreign.data).toEqual(absent.data)
    expect(absent.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'outcome_id' })
    expect((await adjust(report, agent.buyer)).data.adcp_error).toMatchObject({ code: 'PERMISSION_DENIED', field: 'action' })
  })

  it.each([
    ['another reference', { seller_reference: 'mb_2' }, 'seller_reference'],
    ['another currency', { amount: { amount: 1, currency: 'EUR' } }, 'amount.currency'],
    ['more than was committed', { amount: { amount: 60_001, currency: 'USD' } }, 'amount.amount'],
  ])('refuses %s', async (_what, change, field) => {
    const { data } = await adjust(reportOf(await bought(), change))
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field })
  })

  it.each([1e-9, 4.9e-7, 5e-324])('refuses an amount of %s, which would count as nothing', async (amount) => {
    const { data } = await adjust(reportOf(await bought(), { amount: { amount, currency: 'USD' } }))
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'amount.amount' })
    expect(data.adcp_error.message).toContain('at least 0.000001')
  })

  it('refuses one of an outcome that was reported anew', async () => {
    const known = await bought()
    await agent.run('report_plan_outcome', {
      ...known.action,
      seller_response: { seller_reference: 'mb_1', committed_budget: 50_000 },
    })
    expect((await adjust(reportOf(known))).data.adcp_error).toMatchObject({ code: 'INVALID_STATE', field: 'outcome_id' })
  })

  it('is a tool of 3.2 alone', async () => {
    const { data } = await agent.run('report_plan_adjustment', { adcp_version: '3.0', ...reportOf(await bought()) }, seller)
    expect(data.adcp_error).toBeDefined()
    expect(data).not.toHaveProperty('adjustment_id')
  })
})
