import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrandAgent, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterAll(() => agent.stop())

const plan = (plan_id: string, total: number, currency = 'USD') =>
  agent.run('sync_plans', {
    plans: [
      {
        plan_id,
        brand: { domain: 'brand.example' },
        objectives: 'Rights for spring',
        budget: { total, currency, reallocation_unlimited: true },
        flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
      },
    ],
  })

describe('rights under a governance plan', () => {
  it('are not granted above it, nor extended above what was approved', async () => {
    await plan('small', 150)
    const grants = async () => (await agent.server.store.read.selectFrom('rights_grants').selectAll().execute()).length
    // Two months begun, at 100 each.
    const denied = (await agent.acquire({ plan_id: 'small' })).data
    expect(denied).toMatchObject({
      status: 'rejected',
      error: { code: 'GOVERNANCE_DENIED' },
      reason: expect.stringContaining('exceeds'),
      ext: { governance: { plan_id: 'small', findings: expect.any(Array) } },
    })
    expect(await grants()).toBe(0)
    const one = { plan_id: 'small', campaign: { start_date: '2026-03-10', end_date: '2026-04-09' } }
    const granted = (await agent.acquire(one)).data
    expect(granted).toMatchObject({
      status: 'acquired',
      ext: { governance: { plan_id: 'small', checks: [{ status: 'approved' }] } },
    })
    expect(await grants()).toBe(1)
    const more = await agent.run('update_rights', { rights_id: granted.rights_id, end_date: '2026-12-31' })
    expect(more.data.adcp_error).toMatchObject({ code: 'GOVERNANCE_DENIED' })
    const paused = await agent.run('update_rights', { rights_id: granted.rights_id, paused: true })
    expect(paused.data).toMatchObject({ paused: true, terms: { end_date: '2026-04-09' } })
  })

  it('may be extended as far as the plan goes', async () => {
    await plan('large', 5000)
    const { data } = await agent.acquire({ plan_id: 'large' })
    // The buyer asks its governance agent first: four months begun are 400.
    const { data: intent } = await agent.buyer.call('check_governance', {
      plan_id: 'large',
      caller: 'https://buyer.example/agent',
      phase: 'modification',
      tool: 'update_rights',
      payload: { rights_id: data.rights_id, end_date: '2026-06-30', total_budget: 400, currency: 'USD' },
      governance_context: data.governance_context,
    })
    expect(intent.status).toBe('approved')
    const { governance_context } = intent
    const more = await agent.run('update_rights', { rights_id: data.rights_id, end_date: '2026-06-30', governance_context })
    expect(more.data).toMatchObject({ terms: { end_date: '2026-06-30' }, ext: { governance: { plan_id: 'large' } } })
  })

  it('are not granted by impressions that nobody estimated', async () => {
    const { data } = await agent.acquire({ plan_id: 'large', pricing_option_id: 'cpm' })
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'campaign.estimated_impressions' })
    const counted = await agent.acquire({
      plan_id: 'large',
      pricing_option_id: 'cpm',
      campaign: { estimated_impressions: 100_000 },
    })
    expect(counted.data.status).toBe('acquired')
  })

  it('are refused by the member of the request that the plan has no money for', async () => {
    await plan('narrow', 150)
    const byImpressions = (plan_id: string) =>
      agent.acquire({ plan_id, pricing_option_id: 'cpm', campaign: { estimated_impressions: 100_000 } })
    const { data } = await byImpressions('narrow')
    expect(data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'campaign.estimated_impressions',
      recovery: 'correctable',
      details: { reason: expect.stringContaining('200 USD'), requested: 200, limit: 150, committed: 0 },
    })
    await plan('elsewhere', 5000, 'EUR')
    const { data: foreign } = await byImpressions('elsewhere')
    expect(foreign.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pricing_option_id', recovery: 'correctable' })
  })
})
