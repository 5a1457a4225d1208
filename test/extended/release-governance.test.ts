import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const BRAND = { domain: 'acmeoutdoor.example' }
const plan = (plan_id: string, total: number, threshold: number) =>
  agent.control('seed_plan', {
    plan_id,
    fixture: {
      brand: BRAND,
      objectives: 'Spring',
      budget: { total, currency: 'USD', reallocation_threshold: threshold },
      flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
    },
  })
const check = async (line: string, plan_id: string, more: object = {}) => {
  const asked = { plan_id, caller: 'https://buyer.example/agent', tool: 'create_media_buy', payload: { total_budget: 500 } }
  const target = line === '3.2' ? { target_agent: agent.url } : {}
  const { data } = await agent.ask(line, 'check_governance', { ...asked, ...target, ...more })
  return { ...data, verdict: line === '3.0' ? data.status : data.verdict }
}

describe.each(LINES)('governance under AdCP %s', (line) => {
  test('a denial has a context by which the next check goes on from it', async () => {
    await plan(`denied-${line}`, 10_000, 100)
    const denied = await check(line, `denied-${line}`)
    expect(denied).toMatchObject({ verdict: 'denied', governance_context: `denied:${denied.check_id}` })
    // An intent of 3.2 takes no context, so that this one only goes on from delivery.
    if (line === '3.2') return
    const after = await check(line, `denied-${line}`, { governance_context: denied.governance_context })
    expect(after).toMatchObject({ verdict: 'conditions', governance_context: expect.stringMatching(/^eyJ/) })
  })

  test('the approval of a person lifts what needs one, and nothing else', async () => {
    await plan(`human-${line}`, 10_000, 100)
    await plan(`over-${line}`, 100, 10)
    const ext = { human_approval: { approved_by: 'dana@buyer.example', approved_at: '2026-03-16T11:00:00Z' } }
    const lifted = await check(line, `human-${line}`, { ext })
    expect(lifted).toMatchObject({ verdict: 'approved', approved_by: 'dana@buyer.example' })
    expect(lifted.conditions).toBeUndefined()
    expect(await check(line, `over-${line}`, { ext })).toMatchObject({ verdict: 'denied' })
    const refused = { human_approval: { approved: false, approved_by: 'dana@buyer.example' } }
    await plan(`refused-${line}`, 10_000, 100)
    expect(await check(line, `refused-${line}`, { ext: refused })).toMatchObject({ verdict: 'denied' })
  })

  test.skipIf(line === '3.2')('rights that the plan does not allow are rejected in the form for rejections', async () => {
    await plan(`rights-${line}`, 50, 25)
    const { data: found } = await agent.ask(line, 'get_rights', { query: 'drawn fox', uses: ['likeness'] })
    const [right] = found.rights
    const { data, isError } = await agent.ask(line, 'acquire_rights', {
      account: SUITE_ACCOUNT,
      plan_id: `rights-${line}`,
      rights_id: right.rights_id,
      pricing_option_id: right.pricing_options[0].pricing_option_id,
      buyer: BRAND,
      campaign: { description: 'Spring', uses: ['likeness'], start_date: '2026-04-01', end_date: '2026-05-01' },
      revocation_webhook: {
        url: 'https://93.184.215.14/hook',
        authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(40) },
      },
    })
    expect(isError).toBe(false)
    expect(data).toMatchObject({
      [line === '3.0' ? 'status' : 'rights_status']: 'rejected',
      rights_id: expect.any(String),
      brand_id: right.brand_id,
      reason: expect.stringContaining('exceeds the plan'),
    })
    expect(data.errors ?? data.adcp_error).toBeUndefined()
  })
})

test('an approval that only the agent reports counts in a sandbox alone', async () => {
  const live = agent.client(await agent.addBuyer({ principal: 'live', tenant: agent.tenant }))
  const body = {
    brand: BRAND,
    objectives: 'Spring',
    budget: { total: 10_000, currency: 'USD', reallocation_threshold: 100 },
    flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
  }
  const synced = await live.call('sync_plans', { idempotency_key: 'live-plan-0000001', plans: [{ plan_id: 'live', ...body }] })
  expect(synced.isError, JSON.stringify(synced.data)).toBe(false)
  const asked = {
    plan_id: 'live',
    caller: 'https://buyer.example/agent',
    tool: 'create_media_buy',
    payload: { total_budget: 500 },
    ext: { human_approval: true },
  }
  expect((await live.call('check_governance', asked)).data.status).toBe('denied')
})
