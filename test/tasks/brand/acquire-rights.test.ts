import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, reject } from '../../../src/tasks/approvals/decide.ts'
import { type BrandAgent, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterAll(() => agent.stop())

const music = (campaign: object = {}) =>
  agent.acquire({
    rights_id: 'tune',
    pricing_option_id: 'year',
    campaign: { uses: ['sync'], start_date: '2026-03-10', end_date: '2026-12-31', ...campaign },
  })
const task = async (taskId: string) => (await agent.buyer.call('get_task_status', { task_id: taskId, include_result: true })).data

describe('acquire_rights', () => {
  it('grants what is cleared, with keys, terms and a constraint that can be looked up', async () => {
    const { data } = await agent.acquire({ campaign: { countries: ['DE'] } })
    expect(data).toMatchObject({
      status: 'acquired',
      rights_id: expect.stringMatching(/^rgt_/),
      brand_id: 'heron',
      terms: {
        pricing_option_id: 'month',
        amount: 100,
        currency: 'USD',
        period: 'monthly',
        uses: ['likeness'],
        impression_cap: 1000,
        start_date: '2026-03-10',
        end_date: '2026-04-20',
      },
      restrictions: ['keep its proportions', 'the heron is never caged'],
      disclosure: { required: true, text: 'Made with AI' },
      rights_constraint: { uses: ['likeness'], countries: ['DE'], excluded_countries: ['NL'], approval_status: 'approved' },
    })
    expect(data.generation_credentials).toEqual([
      {
        provider: 'studio',
        rights_key: expect.stringMatching(/^rk_[\w-]{43}$/),
        uses: ['likeness'],
        expires_at: '2026-04-20T23:59:59Z',
        endpoint: 'https://studio.example/v1',
      },
    ])
    const answer = await fetch(data.rights_constraint.verification_url)
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        rights_id: data.rights_id,
        status: 'scheduled',
        uses: ['likeness'],
        start_date: '2026-03-10',
        end_date: '2026-04-20',
        impression_cap: 1000,
      },
    ])
    const unknown = data.rights_constraint.verification_url.replace(/.{12}$/, '000000000000')
    expect((await fetch(unknown)).status).toBe(404)
  })

  it('gives the same grant for the same key', async () => {
    const idempotency_key = randomUUID()
    const first = await agent.acquire({ idempotency_key })
    const second = await agent.acquire({ idempotency_key })
    expect(second.data).toMatchObject({ replayed: true, rights_id: first.data.rights_id })
  })

  it.each([
    ['a right that is not there', { rights_id: 'nothing' }, 'REFERENCE_NOT_FOUND', 'rights_id'],
    ['a price that is not there', { pricing_option_id: 'nothing' }, 'REFERENCE_NOT_FOUND', 'pricing_option_id'],
    [
      'a campaign that is over',
      { campaign: { start_date: '2024-01-01', end_date: '2024-03-31' } },
      'INVALID_REQUEST',
      'campaign.end_date',
    ],
    ['a campaign that ends before it starts', { campaign: { end_date: '2026-03-09' } }, 'INVALID_REQUEST', 'campaign.end_date'],
    ['a use that the price does not cover', { campaign: { uses: ['ai_generated_image'] } }, 'INVALID_REQUEST', 'campaign.uses'],
    [
      'a webhook that may not be called',
      { revocation_webhook: { url: 'http://10.0.0.1/' } },
      'INVALID_REQUEST',
      'revocation_webhook.url',
    ],
  ])('refuses %s', async (_what, overrides, code, field) => {
    expect((await agent.acquire(overrides)).data.adcp_error).toMatchObject({ code, field })
  })

  it('needs the impressions of a CPM under a plan', async () => {
    const wanted = { pricing_option_id: 'cpm', governance_context: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln' }
    const { data } = await agent.acquire(wanted)
    expect(data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'campaign.estimated_impressions' })
    expect((await agent.acquire({ pricing_option_id: 'cpm' })).data.status).toBe('acquired')
  })

  it('rejects what the rights holder does not want, without naming the rule', async () => {
    const { data } = await agent.acquire({ buyer: { domain: 'smoke.example', industries: ['tobacco'] } })
    expect(data).toMatchObject({
      status: 'rejected',
      rights_id: 'heron',
      brand_id: 'heron',
      reason: 'does not go with the guidelines of this brand',
    })
    expect(data).not.toHaveProperty('suggestions')
    expect((await agent.acquire({ buyer: { domain: 'cigars.example' } })).data.status).toBe('rejected')
    const country = (await agent.acquire({ campaign: { countries: ['NL'] } })).data
    expect(country).toMatchObject({ status: 'rejected', suggestions: ['available in US, DE'] })
  })

  it('sells exclusivity once, and to nobody while others have the right', async () => {
    const dates = { start_date: '2027-01-01', end_date: '2027-01-31', countries: ['US'] }
    expect((await agent.acquire({ pricing_option_id: 'only', campaign: dates })).data.terms.exclusivity.countries).toEqual(['US'])
    const again = (await agent.acquire({ campaign: { ...dates, end_date: '2027-02-15' } })).data
    expect(again).toMatchObject({ status: 'rejected', suggestions: ['available after 2027-01-31'] })
    expect((await agent.acquire({ campaign: { ...dates, countries: ['DE'] } })).data.status).toBe('acquired')
    expect((await agent.acquire({ campaign: { ...dates, start_date: '2027-02-01', end_date: '2027-02-15' } })).data.status).toBe(
      'acquired',
    )
    const late = { start_date: '2027-02-10', end_date: '2027-03-10', countries: ['US'] }
    expect((await agent.acquire({ pricing_option_id: 'only', campaign: late })).data).toMatchObject({ status: 'rejected' })
  })

  it('waits for a person where one decides, and is told of the decision', async () => {
    const { data } = await music()
    expect(data).toMatchObject({
      status: 'pending_approval',
      brand_id: 'heron',
      estimated_response_time: '48h',
      task_id: expect.any(String),
    })
    expect(await task(data.task_id)).toMatchObject({ status: 'submitted', task_type: 'acquire_rights' })
    const before = await agent.run('update_rights', { rights_id: data.rights_id, paused: true })
    expect(before.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'rights_id' })
    const { store, services } = agent.server
    await approve({ ...services, store }, agent.tenant, data.task_id, [], new Date(START))
    const done = await task(data.task_id)
    expect(done).toMatchObject({
      status: 'completed',
      result: { status: 'acquired', rights_id: data.rights_id, terms: { currency: 'EUR' } },
    })
    expect(JSON.stringify(done.result)).toContain(data.rights_id)
    const no = (await music()).data
    await reject(store, agent.tenant, no.task_id, 'not this season', new Date(START))
    expect(await task(no.task_id)).toMatchObject({ status: 'rejected' })
    expect((await agent.run('update_rights', { rights_id: no.rights_id, paused: true })).data.adcp_error.code).toBe(
      'REFERENCE_NOT_FOUND',
    )
  })

  it('keeps no secret of the webhook, and needs an account to pay', async () => {
    const credentials = `secret-${randomUUID()}-${randomUUID()}`
    const { data } = await agent.acquire({
      revocation_webhook: { url: 'https://93.184.215.14/x', authentication: { schemes: ['Bearer'], credentials } },
      push_notification_config: { url: 'https://93.184.215.14/y' },
    })
    expect(data.status).toBe('acquired')
    const { read } = agent.server.store
    for (const table of ['tasks', 'webhook_endpoints', 'rights_grants', 'approvals', 'idempotency'] as const)
      expect(JSON.stringify(await read.selectFrom(table).selectAll().execute()), table).not.toContain(credentials)
    const stranger = agent.client(await agent.addBuyer({ principal: 'poor' }))
    expect((await agent.acquire({}, stranger)).data.adcp_error).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', field: 'account' })
  })
})
