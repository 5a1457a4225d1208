import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendToLog } from '../../../src/store/governance/governance-log.ts'
import { decideEscalation } from '../../../src/tasks/governance/decide-escalation.ts'
import { type GovernanceAgent, LIMITED, NOW, startGovernanceAgent } from '../../support/governance-agent.ts'

let agent: GovernanceAgent
beforeAll(async () => {
  agent = await startGovernanceAgent()
})
afterAll(() => agent.stop())

const logs = (args: object, client = agent.buyer) => agent.run('get_plan_audit_logs', args, client)

/** A plan whose whole way was walked: asked, decided by a person, approved, bought. */
async function walked() {
  const plan = await agent.plan(LIMITED)
  const asked = await agent.check(plan, 6_000)
  await decideEscalation(agent.server.store, 'acme', asked.data.check_id, {
    resolution: 'approved',
    conditions: [{ field: 'pacing', requiredValue: 'even', reason: 'no bursts' }],
    decidedBy: 'Head of media',
    reason: 'fits the quarter',
    decidedAt: NOW.toISOString(),
  })
  await agent.check(plan, 6_000)
  const payload = { pacing: 'even', packages: [{ product_id: 'p', budget: 6_000 }] }
  const offer = await agent.check(plan, 6_000)
  const approved = await agent.check(plan, 0, { payload, governance_context: offer.data.governance_context })
  await agent.run('report_plan_outcome', {
    plan_id: plan,
    check_id: approved.data.check_id,
    governance_context: approved.data.governance_context,
    outcome: 'completed',
    seller_response: { seller_reference: 'mb_1', committed_budget: 6_000 },
  })
  return { plan, asked: asked.data, approved: approved.data }
}

describe('get_plan_audit_logs', () => {
  it('shows budget, figures, escalations and every event with actor, reason and conditions', async () => {
    const { plan, asked, approved } = await walked()
    const { data } = await logs({ plan_ids: [plan], include_entries: true })
    const [shown] = data.plans
    expect(approved.status).toBe('approved')
    expect(shown).toMatchObject({
      plan_id: plan,
      plan_version: 1,
      status: 'active',
      budget: { authorized: 100_000, committed: 6_000, remaining: 94_000, utilization_pct: 6 },
      summary: {
        checks_performed: 4,
        outcomes_reported: 1,
        statuses: { approved: 1, denied: 1, conditions: 2, human_reviewed: 3 },
        escalations: [
          { check_id: asked.check_id, resolution: 'approved_by_human_with_conditions', resolved_at: NOW.toISOString() },
        ],
        drift_metrics: { escalation_rate: 0.25, auto_approval_rate: 0, human_override_rate: 1 },
      },
      governed_actions: [
        { purchase_type: 'media_buy', status: 'active', committed: 6_000, check_count: 4, seller_reference: 'mb_1' },
      ],
    })
    expect(shown.entries.map((entry: { type: string; status?: string }) => entry.status ?? entry.type)).toEqual([
      'denied',
      'conditions',
      'conditions',
      'approved',
      'outcome',
    ])
    expect(shown.entries[0]).toMatchObject({
      id: asked.check_id,
      check_type: 'intent',
      mode: 'enforce',
      plan_hash: expect.stringMatching(/^[\w-]{43}$/),
    })
    const [chain] = data.ext.audit_chain
    expect(chain).toMatchObject({ plan_id: plan, intact: true, length: 8 })
    expect(chain.events.map((each: { event: string }) => each.event)).toEqual([
      'plan',
      'check',
      'escalation',
      'review',
      'check',
      'check',
      'check',
      'outcome',
    ])
    expect(chain.events[3]).toMatchObject({
      actor: 'Head of media',
      reason: 'fits the quarter',
      resolution: 'approved',
      conditions: [{ field: 'pacing', required_value: 'even', reason: 'no bursts' }],
      previous_hash: chain.events[2].hash,
    })
  })

  it('gives no entries unless they are asked for', async () => {
    const { data } = await logs({ plan_ids: [await agent.plan()] })
    expect(data.plans[0]).not.toHaveProperty('entries')
    expect(data).not.toHaveProperty('ext')
  })

  it('shows a chain that somebody changed in the store', async () => {
    const plan = await agent.plan()
    await agent.check(plan, 1)
    await agent.check(plan, 2)
    const second = agent.server.store.read
      .selectFrom('governance_log')
      .selectAll()
      .where('plan_id', '=', plan)
      .where('seq', '=', 2)
    const { document } = await second.executeTakeFirstOrThrow()
    await agent.server.store.transaction((tx) =>
      tx
        .updateTable('governance_log')
        .set({ document: JSON.stringify({ ...JSON.parse(document), reason: 'rewritten' }) })
        .where('plan_id', '=', plan)
        .where('seq', '=', 2)
        .execute(),
    )
    const { data } = await logs({ plan_ids: [plan], include_entries: true })
    expect(data.ext.audit_chain[0].intact).toBe(false)
  })

  it('traces an action by any of its tokens and filters by purchase type', async () => {
    const { plan, approved } = await walked()
    await agent.check(plan, 2_000)
    const rights = { tool: 'acquire_rights', payload: { rights_id: 'r' } }
    await agent.check(plan, 0, rights)
    const traced = await logs({ governance_contexts: [approved.governance_context], include_entries: true })
    expect(traced.data.plans).toMatchObject([
      { plan_id: plan, governed_actions: [{ seller_reference: 'mb_1' }], summary: { checks_performed: 4 } },
    ])
    const byType = await logs({ plan_ids: [plan], purchase_types: ['rights_license'], include_entries: true })
    expect(byType.data.plans[0].entries).toMatchObject([{ purchase_type: 'rights_license', tool: 'acquire_rights' }])
    expect(byType.data.plans[0].budget.committed).toBe(6_000)
  })

  it('a portfolio stands for its members, and its cap counts them together', async () => {
    const [a, b] = [await agent.plan(), await agent.plan()]
    const portfolio = await agent.plan({
      portfolio: { member_plan_ids: [a, b], total_budget_cap: { amount: 30_000, currency: 'USD' } },
    })
    const first = await agent.check(a, 20_000)
    await agent.run('report_plan_outcome', {
      plan_id: a,
      check_id: first.data.check_id,
      governance_context: first.data.governance_context,
      outcome: 'completed',
      seller_response: {},
    })
    expect((await agent.check(b, 10_001)).data).toMatchObject({ status: 'denied', findings: [{ source_plan_id: portfolio }] })
    expect((await agent.check(b, 10_000)).data.status).toBe('approved')
    const { data } = await logs({ portfolio_plan_ids: [portfolio], include_entries: true })
    expect(data.plans.map((each: { plan_id: string }) => each.plan_id).toSorted()).toEqual([a, b, portfolio].toSorted())
    expect(data.plans.find((each: { plan_id: string }) => each.plan_id === a).entries[0]).toMatchObject({ plan_id: a })
  })

  it('foreign plans, portfolios and tokens are not found, exactly like absent ones', async () => {
    const { plan, approved } = await walked()
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const absent = await logs({ plan_ids: ['absent'] }, stranger)
    expect((await logs({ plan_ids: [plan] }, stranger)).data).toEqual(absent.data)
    expect(absent.data.adcp_error).toMatchObject({ code: 'PLAN_NOT_FOUND', field: 'plan_ids' })
    const noPortfolio = await logs({ portfolio_plan_ids: ['absent'] }, stranger)
    expect((await logs({ portfolio_plan_ids: [plan] }, stranger)).data).toEqual(noPortfolio.data)
    expect((await logs({ governance_contexts: [approved.governance_context] }, stranger)).data).toEqual(
      (await logs({ governance_contexts: ['a.b.c'] }, stranger)).data,
    )
  })

  it('of a long log shows the newest entries and says so, counts all of it, and holds nobody up', async () => {
    const plan = await agent.plan()
    const first = await agent.check(plan, 100)
    const { store } = agent.server
    const owner = await store.read
      .selectFrom('governance_log')
      .select(['tenant_id', 'principal_id', 'action_id', 'document'])
      .where('entry_id', '=', first.data.check_id)
      .executeTakeFirstOrThrow()
    const document = JSON.parse(owner.document)
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      entryId: `chk_many_${index}`,
      kind: 'check' as const,
      actionId: owner.action_id,
      document,
    }))
    await store.transaction((tx) => appendToLog(tx, { tenantId: owner.tenant_id, principalId: owner.principal_id }, plan, many))
    const { data } = await logs({ plan_ids: [plan], include_entries: true })
    // What this task holds the thread for, it holds it for every time; what a busy machine does, once in a while.
    const stalls: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      await logs({ plan_ids: [plan], include_entries: true })
      delay.disable()
      stalls.push(delay.max / 1e6)
    }
    const [shown] = data.plans
    expect(shown.summary.checks_performed).toBe(10_001)
    expect(shown.entries).toHaveLength(1_000)
    expect(shown.entries.at(-1).id).toBe('chk_many_9999')
    const [chain] = data.ext.audit_chain
    expect([chain.intact, chain.length, chain.events.length]).toEqual([true, 10_002, 1_000])
    expect(data.ext.audit_cut).toMatchObject({
      message: expect.stringContaining('newest'),
      plans: [{ plan_id: plan, entries: { shown: 1_000, of: 10_002 } }],
    })
    expect(Math.min(...stalls), 'longest stall in ms').toBeLessThan(100)
  })
  it('ends before a megabyte and a half of entries, says what it left out, and reads each plan within its share', async () => {
    const plan = await agent.plan()
    const { data: checked } = await agent.check(plan, 100)
    const { store } = agent.server
    const row = await store.read
      .selectFrom('governance_log')
      .select(['tenant_id', 'principal_id', 'action_id'])
      .where('entry_id', '=', checked.check_id)
      .executeTakeFirstOrThrow()
    const owner = { tenantId: row.tenant_id, principalId: row.principal_id }
    const reason = 'x'.repeat(200_000)
    const many = Array.from({ length: 20 }, (_, index) => ({
      entryId: `${plan}_large_${index}`,
      kind: index % 2 === 0 ? ('check' as const) : ('escalation' as const),
      actionId: row.action_id,
      document: { at: NOW.toISOString(), actor: 'buyer', reason, checkId: `${plan}_large_${index - 1}` },
    }))
    await store.transaction((tx) => appendToLog(tx, owner, plan, many))
    const { data } = await logs({ plan_ids: [plan], include_entries: true })
    const [shown] = data.plans
    expect(shown.summary).toMatchObject({ checks_performed: 11, drift_metrics: { escalation_rate: 10 / 11 } })
    expect(shown.summary.escalations).toHaveLength(7)
    expect(data.ext.audit_chain[0]).toMatchObject({ intact: true, length: 22 })
    expect(data.ext.audit_chain[0].events).toHaveLength(7)
    expect(data.ext.audit_cut.plans).toEqual([
      {
        plan_id: plan,
        entries: { shown: 7, of: 22 },
        governed_actions: { shown: 1, of: 1 },
        escalations: { shown: 7, of: 10 },
      },
    ])
  })

  it('refuses more plans than one answer has, with the field', async () => {
    const members = await Promise.all(Array.from({ length: 3 }, () => agent.plan()))
    const portfolios: string[] = []
    for (let index = 0; index < 2; index++) {
      const others = Array.from({ length: 150 }, (_, at) => `${index}_${at}`)
      portfolios.push(await agent.plan({ portfolio: { member_plan_ids: [...members, ...others] } }))
    }
    const { data } = await logs({ portfolio_plan_ids: portfolios })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'portfolio_plan_ids' })
    expect(data.adcp_error.message).toContain('one answer has at most 200')
  })
})
