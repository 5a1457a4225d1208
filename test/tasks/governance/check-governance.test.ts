import { compactVerify, createLocalJWKSet, decodeJwt, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planHash } from '../../../src/domain/governance/plan-hash.ts'
import { decideEscalation } from '../../../src/tasks/governance/decide-escalation.ts'
import { BUYER_AGENT, type GovernanceAgent, LIMITED, NOW, planOf, startGovernanceAgent } from '../../support/governance-agent.ts'

let agent: GovernanceAgent
beforeAll(async () => {
  agent = await startGovernanceAgent()
})
afterAll(() => agent.stop())

const decision = (
  resolution: 'approved' | 'rejected',
  conditions: { field: string; requiredValue?: unknown; reason: string }[] = [],
) => ({
  resolution,
  conditions,
  decidedBy: 'Head of media',
  reason: 'looked at it',
  decidedAt: NOW.toISOString(),
})

describe('check_governance', () => {
  it('signs an approval that anybody can verify with the published keys', async () => {
    const plan = planOf()
    await agent.run('sync_plans', { plans: [plan] })
    const { data } = await agent.check(plan.plan_id, 20_000)
    expect(data).toMatchObject({
      status: 'approved',
      plan_id: plan.plan_id,
      check_id: expect.stringMatching(/^chk_/),
      mode: 'enforce',
      expires_at: '2027-01-15T12:15:00.000Z',
    })
    const jwks: JSONWebKeySet & { keys: { kid?: string }[] } = JSON.parse(
      await (await fetch(new URL('/.well-known/jwks.json', agent.url))).text(),
    )
    const { payload, protectedHeader } = await compactVerify(data.governance_context, createLocalJWKSet(jwks))
    expect(protectedHeader).toMatchObject({ alg: 'EdDSA', typ: 'adcp-gov+jws' })
    const key = jwks.keys.find((each) => each.kid === protectedHeader.kid)
    expect(key).toMatchObject({ adcp_use: 'governance-signing', use: 'sig', key_ops: ['verify'] })
    const seconds = NOW.getTime() / 1000
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
      iss: agent.server.services.wiring.agentUrl,
      sub: plan.plan_id,
      aud: agent.server.services.wiring.agentUrl,
      plan_hash: planHash(plan),
      phase: 'intent',
      caller: BUYER_AGENT,
      check_id: data.check_id,
      status: 'approved',
      iat: seconds,
      exp: seconds + 900,
    })
  })

  it('addresses the token to the seller of the action', async () => {
    const only = await agent.plan({ approved_sellers: ['https://only.example/mcp'] })
    expect(decodeJwt((await agent.check(only, 1)).data.governance_context).aud).toBe('https://only.example/mcp')
    const any = await agent.plan()
    const payload = { target_seller: 'https://named.example/mcp', packages: [{ product_id: 'p', budget: 1 }] }
    expect(decodeJwt((await agent.check(any, 1, { payload })).data.governance_context).aud).toBe('https://named.example/mcp')
  })

  it('denies with findings and signs nothing', async () => {
    const plan = await agent.plan()
    const { data } = await agent.check(plan, 100_001)
    expect(data).toMatchObject({
      status: 'denied',
      findings: [{ category_id: 'budget_authority', severity: 'critical', details: { exceeded_by: 1 } }],
    })
    expect(data.governance_context).toBe(`denied:${data.check_id}`)
    expect(data).not.toHaveProperty('expires_at')
  })

  it('waits for a person, who approves; the same question is approved then', async () => {
    const plan = await agent.plan(LIMITED)
    const asked = await agent.check(plan, 6_000)
    expect(asked.data).toMatchObject({
      status: 'denied',
      findings: [{ details: { escalation: { check_id: asked.data.check_id, state: 'pending_human_review' } } }],
    })
    const still = await agent.check(plan, 6_000)
    expect(still.data.findings[0].details.escalation.check_id).toBe(asked.data.check_id)
    await decideEscalation(agent.server.store, 'acme', asked.data.check_id, decision('approved'))
    const { data } = await agent.check(plan, 6_000)
    expect(data).toMatchObject({ status: 'approved', approved_by: 'Head of media', approved_at: NOW.toISOString() })
    expect(data.findings[0].explanation).toContain('approved by Head of media')
    expect((await agent.check(plan, 6_001)).data.status, 'a yes is for what was asked').toBe('denied')
  })

  it('a yes to one revision of the plan is no yes to the next', async () => {
    const plan = planOf(LIMITED)
    await agent.run('sync_plans', { plans: [plan] })
    const { data } = await agent.check(plan.plan_id, 6_000)
    await decideEscalation(agent.server.store, 'acme', data.check_id, decision('approved'))
    await agent.run('sync_plans', { plans: [{ ...plan, objectives: 'Something else' }] })
    expect((await agent.check(plan.plan_id, 6_000)).data.status).toBe('denied')
  })

  it('a person rejects: it stays denied, with who and why', async () => {
    const plan = await agent.plan(LIMITED)
    const asked = await agent.check(plan, 6_000)
    await decideEscalation(agent.server.store, 'acme', asked.data.check_id, decision('rejected'))
    const { data } = await agent.check(plan, 6_000)
    expect(data.status).toBe('denied')
    expect(data.explanation).toContain('Head of media rejected it: looked at it')
    await expect(decideEscalation(agent.server.store, 'acme', asked.data.check_id, decision('approved'))).rejects.toMatchObject({
      code: 'INVALID_STATE',
    })
  })

  it('a person approves on conditions: met by the payload and accepted with the token', async () => {
    const plan = await agent.plan(LIMITED)
    const asked = await agent.check(plan, 6_000)
    const conditions = [
      { field: 'packages[0].pacing', requiredValue: 'even', reason: 'no bursts' },
      { field: 'packages', reason: 'no increase' },
    ]
    await decideEscalation(agent.server.store, 'acme', asked.data.check_id, decision('approved', conditions))
    const offer = await agent.check(plan, 6_000)
    expect(offer.data).toMatchObject({
      status: 'conditions',
      conditions: [
        { field: 'packages[0].pacing', required_value: 'even', reason: 'no bursts' },
        { field: 'packages', reason: 'no increase' },
      ],
    })
    expect(decodeJwt(offer.data.governance_context)).toMatchObject({ status: 'conditions' })
    const payload = { packages: [{ product_id: 'p', budget: 6_000, pacing: 'even' }] }
    const { data } = await agent.check(plan, 0, { payload, governance_context: offer.data.governance_context })
    expect(data.status).toBe('approved')
    expect(decodeJwt(data.governance_context)).toMatchObject({ status: 'approved', check_id: data.check_id })
  })

  it('buying the same thing once more is a new action with money of its own', async () => {
    const plan = await agent.plan()
    const { data } = await agent.check(plan, 60_000)
    await agent.run('report_plan_outcome', {
      plan_id: plan,
      check_id: data.check_id,
      governance_context: data.governance_context,
      outcome: 'completed',
      seller_response: { seller_reference: 'mb_1', committed_budget: 60_000 },
    })
    expect((await agent.check(plan, 60_000)).data.status).toBe('denied')
    expect((await agent.check(plan, 60_000, { governance_context: data.governance_context })).data.status).toBe('denied')
    expect((await agent.check(plan, 40_000)).data.status).toBe('approved')
  })

  it('a seller reaches a foreign plan with the token that is addressed to it, and nobody else does', async () => {
    const key = await agent.addBuyer({ principal: 'seller' })
    await agent.server.store.transaction((tx) =>
      tx
        .updateTable('principals')
        .set({ agent_url: 'https://seller.example/mcp' })
        .where('principal_id', '=', 'seller')
        .execute(),
    )
    const seller = agent.client(key)
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    const plan = await agent.plan({ approved_sellers: ['https://seller.example/mcp'] })
    const intent = await agent.check(plan, 20_000)
    const execution = {
      plan_id: plan,
      caller: 'https://seller.example/mcp',
      governance_context: intent.data.governance_context,
      planned_delivery: { total_budget: 20_000, currency: 'USD', geo: { countries: ['US'] } },
    }
    expect((await agent.run('check_governance', execution, seller)).data).toMatchObject({ status: 'approved', plan_id: plan })
    const more = { ...execution, planned_delivery: { total_budget: 20_001, currency: 'USD' } }
    expect((await agent.run('check_governance', more, seller)).data.status).toBe('denied')
    const absent = await agent.run('check_governance', { ...execution, plan_id: 'absent' }, stranger)
    const foreign = await agent.run('check_governance', execution, stranger)
    const { governance_context: _token, ...bare } = execution
    expect(foreign.data).toEqual(absent.data)
    expect((await agent.run('check_governance', bare, seller)).data).toEqual(absent.data)
    expect(absent.data.adcp_error).toMatchObject({ code: 'PLAN_NOT_FOUND', field: 'plan_id' })
  })

  it('measures delivery against what was approved, after the purchase, with a token for its phase', async () => {
    const plan = await agent.plan()
    const intent = await agent.check(plan, 20_000)
    const token = intent.data.governance_context
    await agent.run('report_plan_outcome', {
      plan_id: plan,
      check_id: intent.data.check_id,
      governance_context: token,
      outcome: 'completed',
      seller_response: { seller_reference: 'mb_7', committed_budget: 20_000 },
    })
    const delivery = (spend: number) =>
      agent.run('check_governance', {
        plan_id: plan,
        caller: BUYER_AGENT,
        phase: 'delivery',
        governance_context: token,
        delivery_metrics: {
          reporting_period: { start: '2027-01-01T00:00:00Z', end: '2027-01-14T00:00:00Z' },
          cumulative_spend: spend,
        },
      })
    const fine = await delivery(10_000)
    expect(fine.data).toMatchObject({ status: 'approved', next_check: '2027-01-22T12:00:00.000Z' })
    expect(decodeJwt(fine.data.governance_context)).toMatchObject({ phase: 'delivery', media_buy_id: 'mb_7' })
    expect((await delivery(20_001)).data.status).toBe('denied')
    const log = await agent.run('get_plan_audit_logs', { plan_ids: [plan] })
    expect(log.data.plans[0].governed_actions[0]).toMatchObject({ status: 'suspended', seller_reference: 'mb_7' })
  })

  it('a report of delivery that comes after its time is told so, once', async () => {
    const plan = await agent.plan()
    const token = (await agent.check(plan, 20_000)).data.governance_context
    const at = (iso: string) => agent.setClock(new Date(iso))
    const report = async (governance_context: string) => {
      const delivery_metrics = {
        reporting_period: { start: '2027-01-15T12:00:00Z', end: '2027-01-22T12:00:00Z' },
        cumulative_spend: 100,
      }
      const phase = 'delivery'
      return (
        await agent.run('check_governance', { plan_id: plan, caller: BUYER_AGENT, phase, governance_context, delivery_metrics })
      ).data
    }
    const missed = ({ findings = [] }: { findings?: { details?: { code?: string } }[] }) =>
      findings.filter(({ details }) => details?.code === 'NEXT_CHECK_MISSED')
    try {
      const execution = {
        plan_id: plan,
        caller: BUYER_AGENT,
        governance_context: token,
        planned_delivery: { total_budget: 20_000, currency: 'USD' },
      }
      const purchase = (await agent.run('check_governance', execution)).data
      expect(purchase).toMatchObject({ status: 'approved', next_check: '2027-01-22T12:00:00.000Z' })
      at('2027-01-22T12:00:00Z')
      const inTime = await report(purchase.governance_context)
      expect(inTime).toMatchObject({ status: 'approved', next_check: '2027-01-29T12:00:00.000Z' })
      expect(missed(inTime)).toEqual([])
      at('2027-02-01T00:00:00Z')
      const late = await report(inTime.governance_context)
      expect(late.status).toBe('approved')
      expect(missed(late)).toMatchObject([
        {
          category_id: 'delivery',
          severity: 'warning',
          explanation: 'delivery was to be reported by 2027-01-29T12:00:00.000Z, 2.5 days ago',
          details: { expected_by: '2027-01-29T12:00:00.000Z' },
        },
      ])
      expect(missed(await report(late.governance_context))).toEqual([])
    } finally {
      agent.setClock(NOW)
    }
  })

  it('answers a question for the budget without an action', async () => {
    const plan = await agent.plan()
    const { data } = await agent.run('check_governance', { plan_id: plan, caller: BUYER_AGENT })
    expect(data).toMatchObject({ status: 'approved', explanation: '100000 USD of 100000 USD is left' })
    expect(data).not.toHaveProperty('governance_context')
  })

  it('needs its scope', async () => {
    const client = agent.client(await agent.addBuyer({ principal: 'narrow', scopes: ['adcp:products'] }))
    expect((await agent.check('any', 1, {}, client)).data.adcp_error.code).toBe('INSUFFICIENT_PERMISSIONS')
  })

  it('keeps no secret of a payload', async () => {
    const plan = await agent.plan()
    await agent.check(plan, 1, { payload: { packages: [], note: 'canary-4711-value' } })
    const rows = await agent.server.store.read.selectFrom('governance_log').selectAll().execute()
    const actions = await agent.server.store.read.selectFrom('governance_actions').selectAll().execute()
    expect(JSON.stringify([rows, actions])).not.toContain('canary-4711-value')
  })
})

describe('check_governance in a sandbox', () => {
  it('a simulated person answers when the agent comes back with a context, and the log says who it was', async () => {
    const client = agent.client(await agent.addBuyer({ principal: 'sandbox', sandbox: true }))
    const plan = await agent.plan(LIMITED, client)
    const asked = await agent.check(plan, 6_000, {}, client)
    expect(asked.data.status).toBe('denied')
    const { data } = await agent.check(plan, 6_000, { governance_context: 'opaque' }, client)
    expect(data).toMatchObject({ status: 'conditions', approved_by: 'sandbox reviewer (simulated)' })
    const accepted = await agent.check(plan, 6_000, { governance_context: data.governance_context }, client)
    expect(accepted.data.status).toBe('approved')
  })

  it('a person of the agent approves without the condition of the simulated one, also for the phases that follow', async () => {
    const client = agent.client(await agent.addBuyer({ principal: 'sandbox-person', sandbox: true }))
    const plan = await agent.plan(LIMITED, client)
    const { data } = await agent.check(plan, 6_000, { ext: { human_approval: { approved_by: 'Dana' } } }, client)
    expect(data).toMatchObject({ status: 'approved', approved_by: 'Dana' })
    expect(data.conditions).toBeUndefined()
    const { governance_context, check_id } = data
    const executed = await agent.run(
      'check_governance',
      {
        ...{ plan_id: plan, caller: agent.server.services.wiring.agentUrl, phase: 'purchase', governance_context },
        planned_delivery: { total_budget: 6_000, currency: 'USD', geo: { countries: ['US'] } },
      },
      client,
    )
    expect(executed.data).toMatchObject({ status: 'approved', approved_by: 'Dana' })
    const seller_response = { seller_reference: 'mb_1', committed_budget: 6_000 }
    const outcome = { plan_id: plan, check_id, governance_context, outcome: 'completed', seller_response }
    const reported = await agent.run('report_plan_outcome', outcome, client)
    expect(reported.data).toMatchObject({ status: 'accepted', committed_budget: 6_000 })
    const { data: logs } = await agent.run('get_plan_audit_logs', { plan_ids: [plan], include_entries: true }, client)
    expect(JSON.stringify(logs)).toContain('Dana')
  })

  it('an approval that nothing needs is no review', async () => {
    const client = agent.client(await agent.addBuyer({ principal: 'sandbox-needless', sandbox: true }))
    const { data } = await agent.check(await agent.plan(LIMITED, client), 100, { ext: { human_approval: true } }, client)
    expect(data.status).toBe('approved')
    expect(data.approved_by).toBeUndefined()
  })

  it('outside a sandbox nobody answers by itself', async () => {
    const plan = await agent.plan(LIMITED)
    await agent.check(plan, 6_000)
    expect((await agent.check(plan, 6_000, { governance_context: 'opaque' })).data.status).toBe('denied')
  })

  it.each([
    [
      { tool: 'create_media_buy', payload: { total_budget: 100 }, planned_delivery: { total_budget: 100, currency: 'USD' } },
      'planned_delivery',
    ],
    [{ phase: 'delivery', planned_delivery: { total_budget: 100, currency: 'USD' } }, 'delivery_metrics'],
  ])('refuses %o, of which the kind cannot be told', async (members, field) => {
    const plan_id = await agent.plan({})
    const { data } = await agent.run('check_governance', { plan_id, caller: BUYER_AGENT, ...members })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field, recovery: 'correctable' })
  })
})
