import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCOUNT } from '../../support/signal-documents.ts'
import { type SignalsAgent, startSignalsAgent } from '../../support/signals-agent.ts'

let agent: SignalsAgent
beforeAll(async () => {
  agent = await startSignalsAgent({ sandbox: true })
  await agent.activate()
  await agent.activate({ signal_agent_segment_id: 'hikers', pricing_option_id: 'hikers_share' })
  agent.setClock('2026-04-10T00:00:00Z')
})
afterAll(() => agent.stop())

const MARCH = { start: '2026-03-01T00:00:00Z', end: '2026-03-31T23:59:59Z' }
const EV = {
  account: ACCOUNT,
  signal_agent_segment_id: 'ev_buyers',
  pricing_option_id: 'agreed',
  impressions: 200_000,
  vendor_cost: 300,
  currency: 'USD',
}
const report = (usage: object[], more: object = {}, client = agent.buyer) =>
  agent.run('report_usage', { reporting_period: MARCH, usage, ...more }, client)

describe('report_usage', () => {
  it('stores right records; the account owes them', async () => {
    const { data } = await report([EV])
    expect(data).toEqual({ status: 'completed', accepted: 1 })
    const period = { start: '2026-03-01', end: '2026-03-31' }
    const financials = await agent.buyer.call('get_account_financials', { account: ACCOUNT, period })
    expect(financials.data).toMatchObject({
      spend: { total_spend: 300 },
      invoices: [{ invoice_id: 'inv_2026_03', amount: 300, due_date: '2026-04-30', status: 'issued' }],
    })
  })

  it('stores nothing twice: neither under the same key, nor another, nor in one request', async () => {
    const period = { start: '2026-02-01T00:00:00Z', end: '2026-02-28T00:00:00Z' }
    const call = { idempotency_key: randomUUID(), reporting_period: period }
    expect((await report([EV, EV], call)).data).toMatchObject({
      accepted: 1,
      errors: [{ code: 'INVALID_STATE', field: 'usage[1]' }],
    })
    expect((await report([EV, EV], call)).data).toMatchObject({ accepted: 1, replayed: true })
    expect((await report([EV], { reporting_period: period })).data.accepted).toBe(0)
    const spent = await agent.buyer.call('get_account_financials', {
      account: ACCOUNT,
      period: { start: '2026-02-01', end: '2026-02-28' },
    })
    expect(spent.data.spend.total_spend).toBe(300)
  })

  it('takes the right records of a batch and names what is wrong with the others', async () => {
    const period = { start: '2026-01-01T00:00:00Z', end: '2026-01-31T00:00:00Z' }
    const { data } = await report(
      [
        { ...EV, vendor_cost: 299 },
        EV,
        { ...EV, pricing_option_id: 'po_unknown' },
        { ...EV, signal_agent_segment_id: 'gardeners', pricing_option_id: 'gardeners_cpm' },
        { ...EV, media_buy_id: 'mb_nobody' },
        { ...EV, account: { account_id: 'acc_nobody' } },
        { account: ACCOUNT, vendor_cost: 1, currency: 'USD' },
        { ...EV, signal_agent_segment_id: undefined, creative_id: 'nobody' },
        { ...EV, signal_agent_segment_id: 'hikers', pricing_option_id: undefined, media_spend: 900, vendor_cost: 90 },
      ],
      { reporting_period: period },
    )
    expect(data.accepted).toBe(2)
    expect(data.errors.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
      ['VALIDATION_ERROR', 'usage[0].vendor_cost'],
      ['VALIDATION_ERROR', 'usage[2].pricing_option_id'],
      ['SIGNAL_NOT_FOUND', 'usage[3].signal_agent_segment_id'],
      ['MEDIA_BUY_NOT_FOUND', 'usage[4].media_buy_id'],
      ['ACCOUNT_NOT_FOUND', 'usage[5].account'],
      ['VALIDATION_ERROR', 'usage[6].signal_agent_segment_id'],
      ['CREATIVE_NOT_FOUND', 'usage[7].creative_id'],
    ])
  })

  it('bills nothing that has no price here', async () => {
    const policies = [{ policy_id: 'calm', enforcement: 'must', policy: 'No violence' }]
    const { standards_id } = (await agent.run('create_content_standards', { scope: { languages_any: ['en'] }, policies })).data
    const { data } = await report([{ account: ACCOUNT, standards_id, vendor_cost: 1, currency: 'USD' }])
    expect(data).toMatchObject({ accepted: 0, errors: [{ code: 'UNSUPPORTED_FEATURE', field: 'usage[0].pricing_option_id' }] })
  })

  it('takes usage of a signal that is no longer live', async () => {
    await agent.activate({ action: 'deactivate' })
    const reporting_period = { start: '2025-12-01T00:00:00Z', end: '2025-12-31T00:00:00Z' }
    expect((await report([EV], { reporting_period })).data.accepted).toBe(1)
  })

  it('refuses a whole report whose period is none', async () => {
    const reversed = { start: MARCH.end, end: MARCH.start }
    expect((await report([EV], { reporting_period: reversed })).data.errors[0]).toMatchObject({ field: 'reporting_period.end' })
  })

  it('is simulated for a sandbox agent', async () => {
    const account = { ...ACCOUNT, brand: { domain: 'trial.example' } }
    const sandbox = await agent.buyerOn(account, { principal: 'tester', sandbox: true })
    await agent.activate({ account: undefined, pricing_option_id: 'ev_buyers_cpm' }, sandbox)
    const usage = { ...EV, account, pricing_option_id: 'ev_buyers_cpm', vendor_cost: 400 }
    expect((await report([usage], {}, sandbox)).data).toMatchObject({ accepted: 1, sandbox: true })
  })
})
