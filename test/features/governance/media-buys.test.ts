import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { payloadHash } from '../../../src/security/signing/governance-token.ts'
import { listPresentedTokens, listSpendApprovals } from '../../../src/store/governance/spend-approvals.ts'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { CREDENTIAL } from '../../support/fake-governance-agent.ts'
import { type GovernedAgent, startGovernedAgent } from '../../support/governed-agent.ts'
import { ACCOUNT } from '../../support/media-buy-agent.ts'

let agent: GovernedAgent
/** How long the seller waits for a governance agent: as usual, but for one that is known to be silent. */
const patience: { readMs?: number } = {}
const plan = { plan_id: 'plan_1' }

beforeAll(async () => {
  agent = await startGovernedAgent({ governance: { policy: patience } })
  await agent.govern([agent.governance.url])
})
afterAll(() => agent.stop())
beforeEach(() => {
  agent.governance.decide(() => ({}))
  agent.governance.sign(undefined)
  agent.governance.checks.splice(0)
})
afterEach(() => agent.governance.revoke({}))

/** Does something while a governance agent does not answer. */
async function duringSilence<T>(of: Pick<GovernedAgent['governance'], 'decide'>, work: () => Promise<T>): Promise<T> {
  of.decide(() => 'hang')
  patience.readMs = 500
  return work().finally(() => {
    delete patience.readMs
  })
}

const countBuys = async () => (await agent.server.store.read.selectFrom('media_buys').selectAll().execute()).length

/** The order is refused with this code and nothing of it is left. */
async function refused(code: string, overrides: object = plan) {
  const before = await countBuys()
  const { isError, data } = await agent.create(overrides)
  expect(data.adcp_error?.code).toBe(code)
  expect(isError).toBe(true)
  expect(await countBuys()).toBe(before)
  return data.adcp_error
}

describe('create_media_buy of a governed account', () => {
  it('asks with what will be delivered, and keeps and tells what was agreed', async () => {
    const { data } = await agent.create(plan)
    const [check, ...others] = agent.governance.checks
    expect(others).toEqual([])
    expect(check?.authorization).toBe(`Bearer ${CREDENTIAL}`)
    expect(check?.request).toEqual({
      plan_id: 'plan_1',
      caller: agent.url,
      phase: 'purchase',
      purchase_type: 'media_buy',
      planned_delivery: expect.objectContaining({ total_budget: 1000, currency: 'USD', start_time: '2026-03-02T00:00:00.000Z' }),
    })
    const [kept] = await listSpendApprovals(agent.server.store.read, 'acme', data.media_buy_id)
    expect(kept).toMatchObject({
      agentUrl: agent.governance.url,
      planId: 'plan_1',
      phase: 'purchase',
      token: data.governance_context,
    })
    expect(data.planned_delivery).toEqual(check?.request.planned_delivery)
    expect(data.ext.governance).toMatchObject({ plan_id: 'plan_1', checks: [{ check_id: kept?.checkId, status: 'approved' }] })
  })

  it('needs a plan', async () => {
    expect(await refused('INVALID_REQUEST', {})).toMatchObject({ field: 'plan_id' })
    expect(agent.governance.checks).toEqual([])
  })

  it('hands conditions in words on', async () => {
    const conditions = [{ field: 'reporting', reason: 'CTV needs weekly reports' }]
    agent.governance.decide(() => ({ status: 'conditions', conditions }))
    const { data } = await agent.create(plan)
    expect(data.media_buy_id).toBeDefined()
    expect(data.ext.governance.checks[0]).toMatchObject({ status: 'conditions', conditions })
  })

  it('buys where a binding condition is met, and refuses where it is not', async () => {
    const condition = (required_value: number) => ({ field: 'total_budget', required_value, reason: 'limit' })
    agent.governance.decide(() => ({ status: 'conditions', conditions: [condition(1000)] }))
    expect((await agent.create(plan)).data.media_buy_id).toBeDefined()
    agent.governance.decide(() => ({ status: 'conditions', conditions: [condition(900)] }))
    const error = await refused('GOVERNANCE_DENIED')
    expect(error.details.conditions).toEqual([condition(900)])
  })

  it('refuses with the findings unchanged when the agent denies', async () => {
    const findings = [
      { category_id: 'budget_authority', severity: 'critical', explanation: 'over the limit', details: { limit: 5 } },
    ]
    agent.governance.decide(() => ({ status: 'denied', findings }))
    const error = await refused('GOVERNANCE_DENIED')
    expect(error).toMatchObject({ recovery: 'correctable', details: { plan_id: 'plan_1', findings } })
    agent.governance.decide(() => ({}))
    expect((await agent.create(plan)).data.media_buy_id).toBeDefined()
  })

  it.each([
    ['answers no JSON', () => ({ raw: '<html>' })],
    ['answers HTTP 500', () => ({ status: 500 })],
    ['redirects', () => ({ status: 302 })],
    ['says a status that is none', () => ({ status: 'maybe' })],
    ['denies without findings', () => ({ status: 'denied' })],
    ['is about another plan', () => ({ plan_id: 'plan_2' })],
    ['approves until yesterday', () => ({ expires_at: '2026-02-28T12:00:00Z' })],
    ['approves without an end', () => ({ expires_at: undefined })],
    ['repeats our credential', () => ({ explanation: `I was told ${CREDENTIAL}` })],
    ['has an error of its own', () => ({ adcp_error: { code: 'SERVICE_UNAVAILABLE', message: 'x' } })],
  ])('does not buy when the agent %s', async (_what, verdict) => {
    agent.governance.decide(verdict)
    const error = await refused('GOVERNANCE_UNAVAILABLE')
    expect(error).toMatchObject({ recovery: 'transient' })
    expect(JSON.stringify(error)).not.toContain(CREDENTIAL)
  })

  it('does not buy when the agent is silent', async () => {
    const error = await duringSilence(agent.governance, () => refused('GOVERNANCE_UNAVAILABLE'))
    expect(error).toMatchObject({ recovery: 'transient' })
  })

  it.each(['PLAN_NOT_FOUND', 'CAMPAIGN_SUSPENDED'])('says so when the agent says %s', async (code) => {
    agent.governance.decide(() => ({ adcp_error: { code, message: 'private words' } }))
    expect(JSON.stringify(await refused(code))).not.toContain('private words')
  })

  it('asks every agent; one refusal is enough, and one silence too', async () => {
    const second = await import('../../support/fake-governance-agent.ts').then(({ putGovernanceAgent }) =>
      putGovernanceAgent(agent.web, {
        host: 'second.example',
        seller: () => agent.url,
        clock: () => new Date('2026-03-01T12:00:00Z'),
      }),
    )
    await agent.govern([agent.governance.url, second.url])
    const { data } = await agent.create(plan)
    expect(data.ext.governance.checks.map((check: { agent_url: string }) => check.agent_url)).toEqual([
      agent.governance.url,
      second.url,
    ])
    await duringSilence(second, async () => {
      await refused('GOVERNANCE_UNAVAILABLE')
      agent.governance.decide(() => ({
        status: 'denied',
        findings: [{ category_id: 'x', severity: 'critical', explanation: 'no' }],
      }))
      await refused('GOVERNANCE_DENIED')
    })
    await agent.govern([agent.governance.url])
  })

  it('asks again for each order; a replay asks nobody', async () => {
    const args = { ...plan, idempotency_key: 'governed-order-0001' }
    const first = await agent.create(args)
    const again = await agent.create(args)
    expect(again.data).toMatchObject({ replayed: true, media_buy_id: first.data.media_buy_id })
    expect(agent.governance.checks).toHaveLength(1)
  })
})

describe('the token of a request', () => {
  it('is verified, given back to its issuer, used up and kept', async () => {
    const token = await agent.governance.token()
    const { data } = await agent.create({ ...plan, governance_context: token })
    expect(agent.governance.checks[0]?.request.governance_context).toBe(token)
    expect(await listPresentedTokens(agent.server.store.read, 'acme', data.media_buy_id)).toEqual([token])
    await refused('PERMISSION_DENIED', { ...plan, governance_context: token })
  })

  it('names the plan where the request does not', async () => {
    const { data } = await agent.create({ governance_context: await agent.governance.token({ sub: 'plan_7' }) })
    expect(data.ext.governance.plan_id).toBe('plan_7')
  })

  it('is not used up by an order that fails', async () => {
    const token = await agent.governance.token()
    await duringSilence(agent.governance, () => refused('GOVERNANCE_UNAVAILABLE', { ...plan, governance_context: token }))
    agent.governance.decide(() => ({}))
    expect((await agent.create({ ...plan, governance_context: token })).data.media_buy_id).toBeDefined()
  })

  it('authorises one of two orders at the same moment', async () => {
    const token = await agent.governance.token()
    const both = await Promise.all([1, 2].map(() => agent.create({ ...plan, governance_context: token })))
    expect(both.map(({ data }) => data.adcp_error?.code ?? 'bought').sort()).toEqual(['PERMISSION_DENIED', 'bought'])
  })

  it.each([
    ['of another seller', { aud: 'https://other.example/mcp' }],
    ['that expired', { iat: 1_772_300_000, exp: 1_772_300_600 }],
    ['of another plan', { sub: 'plan_2' }],
    ['of another phase', { phase: 'delivery' as const }],
    ['of a stranger', { iss: 'https://evil.example/mcp' }],
    ['that approves nothing', { status: 'conditions' as const }],
    ['for another task', { authorized_task: 'activate_signal' }],
  ])('is refused when it is one %s', async (_what, over) => {
    const error = await refused('PERMISSION_DENIED', { ...plan, governance_context: await agent.governance.token(over) })
    expect(error).toMatchObject({ field: 'governance_context', recovery: 'correctable' })
    expect(JSON.stringify(error)).not.toContain('step')
    expect(agent.governance.checks).toEqual([])
  })

  it('is refused to everybody but the agent that asked for it, where the address of that is known', async () => {
    const known = (url: string | null) =>
      agent.server.store.transaction((tx) =>
        tx.updateTable('principals').set({ agent_url: url }).where('principal_id', '=', 'buyer').execute(),
      )
    await known('https://other.example/agent')
    const token = await agent.governance.token()
    await refused('PERMISSION_DENIED', { ...plan, governance_context: token })
    await known('https://buyer.example/agent')
    expect((await agent.create({ ...plan, governance_context: token })).data.media_buy_id).toBeDefined()
    await known(null)
  })

  it('may bind the arguments as they came, with what the seller reads in another form', async () => {
    const args = {
      ...plan,
      idempotency_key: 'bound-order-00000001',
      account: ACCOUNT,
      brand: { domain: 'brand.example' },
      start_time: '2026-03-02T00:00:00Z',
      end_time: '2026-03-12T00:00:00Z',
      packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
      context: { trace: 1 },
    }
    const token = await agent.governance.token({
      authorized_task: 'create_media_buy',
      authorized_payload_hash: payloadHash(args),
      authorized_commitment: { amount: 1000, currency: 'USD' },
    })
    await refused('PERMISSION_DENIED', { ...args, name: 'another', governance_context: token })
    expect((await agent.create({ ...args, governance_context: token })).data.media_buy_id).toBeDefined()
  })

  it('is refused when it was tampered with, and when it is no token', async () => {
    const [header, claims, signature = ''] = (await agent.governance.token()).split('.')
    await refused('PERMISSION_DENIED', { ...plan, governance_context: `${header}.${claims}.A${signature.slice(1)}x` })
    await refused('PERMISSION_DENIED', { ...plan, governance_context: 'gov-ctx-opaque' })
  })
})

describe('the token of an answer', () => {
  it.each([
    ['of another seller', () => ({ aud: 'https://other.example/mcp' })],
    ['of another plan', () => ({ sub: 'plan_2' })],
    ['that expired', () => ({ iat: 1_772_300_000, exp: 1_772_300_600 })],
    ['of another issuer', () => ({ iss: 'https://other.example/mcp' })],
  ])('does not authorise when it is one %s', async (_what, change) => {
    agent.governance.sign(change)
    await refused('PERMISSION_DENIED')
  })

  it('does not authorise twice', async () => {
    agent.governance.sign(() => ({ jti: 'the-same' }))
    expect((await agent.create(plan)).data.media_buy_id).toBeDefined()
    await refused('PERMISSION_DENIED')
  })
})

describe('update_media_buy of a governed account', () => {
  const update = (
    created: { data: Record<string, unknown> & { packages: { package_id: string }[] } },
    budget: number,
    more: object = {},
  ) =>
    agent.run('update_media_buy', {
      media_buy_id: created.data.media_buy_id,
      packages: [{ package_id: created.data.packages[0]?.package_id, budget }],
      ...more,
    })

  it('asks before more is committed, with the thread of what was agreed', async () => {
    const created = await agent.create(plan)
    agent.governance.checks.splice(0)
    const { data } = await update(created, 1500)
    expect(agent.governance.checks[0]?.request).toMatchObject({
      plan_id: 'plan_1',
      phase: 'modification',
      governance_context: created.data.governance_context,
      planned_delivery: { total_budget: 1500 },
      modification_summary: expect.stringContaining('1500'),
    })
    expect(data.ext.governance.checks).toHaveLength(1)
    expect(await listSpendApprovals(agent.server.store.read, 'acme', created.data.media_buy_id)).toHaveLength(2)
  })

  it('changes nothing when the agent denies', async () => {
    const created = await agent.create(plan)
    agent.governance.decide(() => ({
      status: 'denied',
      findings: [{ category_id: 'x', severity: 'critical', explanation: 'no' }],
    }))
    const { data } = await update(created, 1500)
    expect(data.adcp_error.code).toBe('GOVERNANCE_DENIED')
    const { data: now } = await agent.buyer.call('get_media_buys', { media_buy_ids: [created.data.media_buy_id] })
    expect(now.media_buys[0]).toMatchObject({ total_budget: 1000, revision: 1 })
  })

  it('asks nobody to spend less, pause or cancel', async () => {
    const created = await agent.create(plan)
    agent.governance.checks.splice(0)
    // Whoever asked would wait in vain.
    agent.governance.decide(() => 'hang')
    expect((await update(created, 800)).isError).toBe(false)
    expect((await agent.run('update_media_buy', { media_buy_id: created.data.media_buy_id, paused: true })).isError).toBe(false)
    expect((await agent.run('update_media_buy', { media_buy_id: created.data.media_buy_id, canceled: true })).isError).toBe(false)
    expect(agent.governance.checks).toEqual([])
  })

  it('asks before the same money runs longer', async () => {
    const created = await agent.create(plan)
    agent.governance.checks.splice(0)
    await agent.run('update_media_buy', { media_buy_id: created.data.media_buy_id, end_time: '2026-03-20T00:00:00Z' })
    expect(agent.governance.checks[0]?.request).toMatchObject({ phase: 'modification', planned_delivery: { total_budget: 1000 } })
  })
})

describe('an order of a governed account that waits for a person at the seller', () => {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  const submit = async () => {
    const token = await agent.governance.token()
    const { data } = await agent.create({ ...plan, packages, governance_context: token })
    expect(data).toMatchObject({ status: 'submitted' })
    return { taskId: data.task_id as string, token }
  }
  const approved = (taskId: string) =>
    approve({ ...agent.server.services, store: agent.server.store }, agent.tenant, taskId, [], new Date('2026-03-01T13:00:00Z'))
  const statusOf = async (taskId: string) => (await agent.buyer.call('tasks/get', { task_id: taskId, include_result: true })).data

  it('is asked about when it comes in and again when it is booked', async () => {
    const { taskId } = await submit()
    expect(agent.governance.checks).toHaveLength(1)
    agent.setClock('2026-03-01T13:00:00Z')
    await approved(taskId)
    expect(agent.governance.checks).toHaveLength(2)
    expect(await statusOf(taskId)).toMatchObject({
      status: 'completed',
      result: { governance_context: expect.any(String), ext: { governance: { plan_id: 'plan_1' } } },
    })
    agent.setClock('2026-03-01T12:00:00Z')
  })

  it('is not booked when governance has changed its mind, and waits while it is silent', async () => {
    const { taskId } = await submit()
    await duringSilence(agent.governance, () => approved(taskId).catch(() => undefined))
    expect((await statusOf(taskId)).status).toBe('submitted')
    agent.governance.decide(() => ({
      status: 'denied',
      findings: [{ category_id: 'x', severity: 'critical', explanation: 'no' }],
    }))
    await approved(taskId).catch(() => undefined)
    expect((await statusOf(taskId)).status).not.toBe('completed')
  })

  it('is not even submitted when governance denies', async () => {
    agent.governance.decide(() => ({
      status: 'denied',
      findings: [{ category_id: 'x', severity: 'critical', explanation: 'no' }],
    }))
    await refused('GOVERNANCE_DENIED', { ...plan, packages })
  })
})
