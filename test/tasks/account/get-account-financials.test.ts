import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { setCredit } from '../../../src/operator/accounts/account-money.ts'
import { saveAccountGrant } from '../../../src/store/account/account-grants.ts'
import { insertPayment } from '../../../src/store/account/account-payments.ts'
import { summarizeFinancials } from '../../../src/tasks/account/summaries.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { performAs } from '../../support/operator.ts'

const PLACE = { tenantId: 'acme' }
let agent: MediaBuyAgent
let accountId: string

beforeAll(async () => {
  // A host-read product serves without creatives, so its delivery follows from the flight alone.
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  accountId = (await agent.buyer.call('list_accounts')).data.accounts[0].account_id
  const bought = await agent.create({ start_time: '2026-03-02T00:00:00Z', end_time: '2026-04-11T00:00:00Z' })
  expect(bought.isError).toBe(false)
})
afterAll(() => agent.stop())

const ask = (args: object = {}, client = agent.buyer) => client.call('get_account_financials', { account: ACCOUNT, ...args })

describe('get_account_financials', () => {
  it('has no spend before anything was delivered', async () => {
    const { data } = await ask()
    expect(data).toMatchObject({
      account: ACCOUNT,
      currency: 'USD',
      period: { start: '2026-03-01', end: '2026-03-31' },
      spend: { total_spend: 0, media_buy_count: 0 },
      payment_status: 'current',
      invoices: [],
    })
    expect(data).not.toHaveProperty('credit')
  })

  it('sums exactly what get_media_buy_delivery reports', async () => {
    agent.setClock('2026-03-20T12:00:00Z')
    const delivered = (await agent.buyer.call('get_media_buy_delivery', {})).data.aggregated_totals.spend
    expect(delivered).toBeGreaterThan(0)
    expect((await ask()).data).toMatchObject({
      spend: { total_spend: delivered, media_buy_count: 1 },
      invoices: [{ invoice_id: 'inv_2026_03', amount: delivered, status: 'draft' }],
    })
    // A report ends before its `end_date`, an account's period with its last day.
    const week = { start_date: '2026-03-05', end_date: '2026-03-12' }
    const part = (await agent.buyer.call('get_media_buy_delivery', week)).data.aggregated_totals.spend
    const { data } = await ask({ period: { start: week.start_date, end: '2026-03-11' } })
    expect(data.spend.total_spend).toBe(part)
    expect(data.spend.total_spend).toBeLessThan(delivered)
  })

  it('shows the credit that the seller gave and what payments leave of it', async () => {
    agent.setClock('2026-05-20T12:00:00Z')
    const now = new Date('2026-05-20T12:00:00Z')
    const { store } = agent.server
    const limit = { account: accountId, amount: '2000', currency: 'USD' }
    await performAs(operatorOn(store, agent.config), agent.tenant, setCredit, limit)
    expect((await ask()).data.credit).toEqual({ credit_limit: 2000, available_credit: 1000, utilization_percent: 50 })
    expect((await agent.buyer.call('list_accounts')).data.accounts[0].credit_limit).toEqual({ amount: 2000, currency: 'USD' })
    const pay = (micros: number, day: string) =>
      store.transaction((tx) => insertPayment(tx, { ...PLACE, accountId }, { day, currency: 'USD', micros }, now))
    await pay(760_000_000, '2026-05-02')
    const { data } = await ask()
    expect(data.credit).toEqual({ credit_limit: 2000, available_credit: 1760, utilization_percent: 12 })
    expect(data.invoices).toEqual([
      expect.objectContaining({ invoice_id: 'inv_2026_04', amount: 250, status: 'issued' }),
      expect.objectContaining({ invoice_id: 'inv_2026_03', amount: 750, status: 'paid', paid_date: '2026-05-02' }),
    ])
  })

  it('counts what other agents bought in the account, and shows it to its owner alone', async () => {
    const guest = agent.client(await agent.addBuyer({ principal: 'guest' }))
    const grant = { ...PLACE, accountId, principalId: 'guest', readOnly: false, allowedTasks: undefined }
    await agent.server.store.transaction((tx) => saveAccountGrant(tx, grant, new Date()))
    agent.setClock('2026-03-20T12:00:00Z')
    const before = (await ask()).data.spend.total_spend
    await agent.create(
      { account: { account_id: accountId }, start_time: '2026-03-21T00:00:00Z', end_time: '2026-03-31T00:00:00Z' },
      guest,
    )
    agent.setClock('2026-03-31T12:00:00Z')
    const { data } = await ask()
    expect(data.spend.media_buy_count).toBe(2)
    expect(data.spend.total_spend).toBeGreaterThan(before + 1000)
    const refused = await ask({ account: { account_id: accountId } }, guest)
    expect(refused.data.errors[0]).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', field: 'account' })
  })

  it('a payment in another currency switches nothing, and stands in the text too', async () => {
    agent.setClock('2026-05-20T12:00:00Z')
    const before = (await ask()).data
    const paid = { day: '2026-05-19', currency: 'EUR', micros: 1_000_000_000 }
    await agent.server.store.transaction((tx) => insertPayment(tx, { ...PLACE, accountId }, paid, new Date()))
    const { data } = await ask()
    const other = { currency: 'EUR', total_spend: 0, owed: -1000 }
    expect(data).toMatchObject({ currency: 'USD', invoices: before.invoices, ext: { other_currencies: [other] } })
    const text = summarizeFinancials({ ...data, ext: { other_currencies: [{ ...other, invoices: before.invoices }] } })
    expect(summarizeFinancials(data)).toContain('In EUR too (ext.other_currencies): 1000 paid beyond what is owed, spend 0.')
    expect(text).toContain('unpaid invoices: inv_2026_04 of 250 (issued)')
  })

  it('refuses a reversed period, an account of nobody, and one that its agent pays for', async () => {
    expect((await ask({ period: { start: '2026-03-02', end: '2026-03-01' } })).data.errors[0]).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'period.end',
    })
    expect((await ask({ account: { account_id: 'nobody' } })).data.errors[0].code).toBe('ACCOUNT_NOT_FOUND')
    const other = { brand: { domain: 'brand.example' }, operator: 'billed.example' }
    await agent.run('sync_accounts', { accounts: [{ ...other, billing: 'agent' }] })
    expect((await ask({ account: other })).data.errors[0]).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'account' })
  })
})
