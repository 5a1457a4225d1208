import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { approve } from '../../../src/tasks/approvals/decide.ts'
import { type CreativeDecision, decideRightsChange, revokeRights } from '../../../src/tasks/brand/decide-rights.ts'
import { BRANDS, type BrandAgent, FIGURE, START, startBrandAgent } from '../../support/brand-agent.ts'

let agent: BrandAgent
beforeAll(async () => {
  agent = await startBrandAgent()
})
afterEach(async () => {
  agent.setClock(START)
  await agent.import(BRANDS)
})
afterAll(() => agent.stop())

const update = async (rights_id: string, args: object) => (await agent.run('update_rights', { rights_id, ...args })).data
const granted = async (overrides = {}) => (await agent.acquire(overrides)).data

describe('update_rights', () => {
  it('extends a grant and issues its keys anew', async () => {
    const grant = await granted()
    const data = await update(grant.rights_id, { end_date: '2026-05-31', impression_cap: 2000 })
    expect(data).toMatchObject({
      rights_id: grant.rights_id,
      terms: { end_date: '2026-05-31', impression_cap: 2000, amount: 100 },
      rights_constraint: { valid_until: '2026-05-31T23:59:59Z', impression_cap: 2000 },
      implementation_date: '2026-03-01T12:00:00.000Z',
    })
    expect(data.generation_credentials[0].expires_at).toBe('2026-05-31T23:59:59Z')
    expect(data.generation_credentials[0].rights_key).not.toBe(grant.generation_credentials[0].rights_key)
    expect(data).not.toHaveProperty('paused')
  })

  it('gives no more impressions than the price includes: of each period that has begun, as many as its option has', async () => {
    const grant = await granted()
    const refusal = (args: object) => update(grant.rights_id, args).then(({ adcp_error: error }) => error)
    expect(await refusal({ impression_cap: 2001 })).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'impression_cap',
      message: expect.stringContaining('the 2000 impressions that the price of month includes'),
    })
    expect(await refusal({ impression_cap: 3001, end_date: '2026-05-31' })).toMatchObject({ field: 'impression_cap' })
    const other = await update(grant.rights_id, { impression_cap: 1_000_000, pricing_option_id: 'cpm' })
    expect(other.terms).toMatchObject({ pricing_option_id: 'cpm', impression_cap: 1_000_000 })
  })

  it('pauses and resumes: no keys meanwhile, the same afterwards', async () => {
    const grant = await granted()
    const paused = await update(grant.rights_id, { paused: true })
    expect(paused.paused).toBe(true)
    expect(paused).not.toHaveProperty('generation_credentials')
    const looked = await fetch(grant.rights_constraint.verification_url)
    expect(await looked.json()).toMatchObject({ status: 'paused' })
    const resumed = await update(grant.rights_id, { paused: false })
    expect(resumed.generation_credentials).toEqual(grant.generation_credentials)
  })

  it('changes to a price that covers the grant', async () => {
    const grant = await granted()
    expect((await update(grant.rights_id, { pricing_option_id: 'cpm' })).terms).toMatchObject({
      pricing_option_id: 'cpm',
      amount: 2,
    })
    expect((await update(grant.rights_id, { pricing_option_id: 'images' })).adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'pricing_option_id',
    })
    expect((await update(grant.rights_id, { pricing_option_id: 'none' })).adcp_error).toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
  })

  it('refuses an earlier end, a cap below what was delivered, and a grant that is over', async () => {
    const grant = await granted()
    expect((await update(grant.rights_id, { end_date: '2026-04-19' })).adcp_error).toMatchObject({ field: 'end_date' })
    agent.setClock('2026-03-20T12:00:00Z')
    const usage = {
      account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
      rights_id: grant.rights_id,
      impressions: 700,
      vendor_cost: 0,
      currency: 'USD',
    }
    const period = { start: '2026-03-10T00:00:00Z', end: '2026-03-19T00:00:00Z' }
    const reported = await agent.run('report_usage', { reporting_period: period, usage: [usage] })
    expect(reported.data).toMatchObject({ accepted: 1 })
    expect((await update(grant.rights_id, { impression_cap: 699 })).adcp_error).toMatchObject({ field: 'impression_cap' })
    expect((await update(grant.rights_id, { impression_cap: 700 })).terms.impression_cap).toBe(700)
    agent.setClock('2026-04-21T00:00:00Z')
    expect((await update(grant.rights_id, { end_date: '2026-05-31' })).adcp_error).toMatchObject({ code: 'INVALID_STATE' })
  })

  it('does not extend into the exclusive time of another, nor what is no longer offered', async () => {
    const grant = await granted({ campaign: { start_date: '2028-01-01', end_date: '2028-01-31', countries: ['US'] } })
    await granted({
      pricing_option_id: 'only',
      campaign: { start_date: '2028-02-01', end_date: '2028-02-28', countries: ['US'] },
    })
    expect((await update(grant.rights_id, { end_date: '2028-02-10' })).adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'end_date',
    })
    await agent.import({ ...BRANDS, rights: [] })
    expect((await update(grant.rights_id, { end_date: '2028-02-10' })).adcp_error.message).toMatch(/no longer offered/)
    expect((await update(grant.rights_id, { paused: true })).paused).toBe(true)
  })

  describe('where a person approved the acquisition', () => {
    const decided = (id: string, decision: CreativeDecision) =>
      decideRightsChange({ ...agent.server.services, store: agent.server.store }, agent.tenant, id, decision, new Date(START))
    const yes: CreativeDecision = { approve: true, conditions: ['no caging'] }
    const no: CreativeDecision = { approve: false, reason: 'the figure retires in July', suggestions: ['end in June'] }
    const taskOf = async (task_id: string, client = agent.buyer) =>
      (await client.call('tasks/get', { task_id, include_result: true })).data
    async function held(): Promise<string> {
      await agent.import({ ...BRANDS, rights: [{ ...FIGURE, clearance: { ...FIGURE.clearance, approval: 'manual' } }] })
      const { store, services } = agent.server
      const asked = await granted({ campaign: { start_date: '2026-06-01', end_date: '2026-06-30' } })
      await approve({ ...services, store }, agent.tenant, asked.task_id, [], new Date(START))
      return asked.rights_id
    }

    it('waits for one: the task of the buyer ends with the reason, or with the new terms and the conditions', async () => {
      const id = await held()
      const data = await update(id, { end_date: '2026-07-31' })
      expect(data).toMatchObject({ terms: { end_date: '2026-06-30' }, implementation_date: null, status: 'submitted' })
      expect(await taskOf(data.task_id)).toMatchObject({ status: 'submitted', task_type: 'acquire_rights' })
      const declined = await decided(id, no)
      expect([declined.agreement.endDate, declined.pending]).toEqual(['2026-06-30', undefined])
      expect(await taskOf(data.task_id)).toMatchObject({
        status: 'rejected',
        message: 'the figure retires in July; end in June',
        error: { code: 'POLICY_VIOLATION', message: 'the figure retires in July; end in June' },
      })
      const again = await update(id, { end_date: '2026-07-31' })
      const agreed = await decided(id, yes)
      expect([agreed.agreement.endDate, agreed.credentialVersion]).toEqual(['2026-07-31', 2])
      expect(await taskOf(again.task_id)).toMatchObject({
        status: 'completed',
        message: expect.stringContaining('no caging'),
        result: { rights_id: id, terms: { end_date: '2026-07-31' }, implementation_date: '2026-03-01T12:00:00.000Z' },
      })
      await expect(decided(id, yes)).rejects.toThrow(/is pending/)
    })

    it('a pause leaves the change pending; another change replaces it, a revocation ends it', async () => {
      const id = await held()
      const first = await update(id, { end_date: '2026-07-31' })
      expect((await update(id, { paused: true })).paused).toBe(true)
      expect((await taskOf(first.task_id)).status).toBe('submitted')
      const second = await update(id, { end_date: '2026-08-31' })
      expect(await taskOf(first.task_id)).toMatchObject({ status: 'canceled', message: 'replaced by a later change' })
      await revokeRights(agent.server.store, agent.tenant, id, { reason: 'sold', effectiveAt: new Date(START) }, new Date(START))
      expect(await taskOf(second.task_id)).toMatchObject({ status: 'rejected', message: 'the grant was revoked: sold' })
    })
  })

  it("knows no grant of another agent's", async () => {
    const grant = await granted()
    const other = agent.client(await agent.addBuyer({ principal: `other-${grant.rights_id}` }))
    const { data } = await agent.run('update_rights', { rights_id: grant.rights_id, paused: true }, other)
    expect(data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'rights_id' })
  })
})
