import { afterAll, beforeAll, expect, it } from 'vitest'
import { addPayment, listPayments, takeBackAccountPayment } from '../../src/operator/accounts/account-money.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { recordPayment, takeBackPayment } from '../../src/operator/billing/invoice-payments.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listUnsealed } from '../../src/store/audit/audit.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let account: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
  account = (await agent.buyer.call('list_accounts')).data.accounts[0].account_id
  // 750 in March, 250 in April.
  const bought = await agent.create({ start_time: '2026-03-02T00:00:00Z', end_time: '2026-04-11T00:00:00Z' })
  expect(bought.isError).toBe(false)
  agent.setClock('2026-05-04T12:00:00Z')
  for (const month of ['2026-03', '2026-04']) await performAs(operator, agent.tenant, closeMonth, { month })
})
afterAll(() => agent.stop())

const [MARCH, APRIL] = ['2026-03-0001', '2026-04-0001']
const pay = (amount: string, more: object = {}) =>
  performAs(operator, agent.tenant, recordPayment, { invoice: MARCH, amount, ...more })
const listed = (filter: object = {}) => performAs(operator, agent.tenant, listInvoices, { ...filter })
const states = async (filter: object = {}) =>
  (await listed(filter)).items.map(({ invoice_id, state, settled, open }) => [invoice_id, state, settled, open])

it('a payment of more than is open is refused with what is open, as is one of nothing, of a day to come or before the invoice, and of no invoice', async () => {
  expect(await states()).toEqual([
    [APRIL, 'open', 0, 250],
    [MARCH, 'open', 0, 750],
  ])
  const field = 'amount'
  await expect(pay('750.01')).rejects.toMatchObject({ field, message: 'amount must be at most what is open, 750.00 USD' })
  await expect(pay('0')).rejects.toMatchObject({ field, message: 'amount must be more than 0; 750.00 USD is open' })
  await expect(pay('much')).rejects.toMatchObject({ field, message: 'amount must be a number, e.g. 1200.50 or 1200,50' })
  await expect(pay('1.001')).rejects.toMatchObject({ field })
  const toCome = { field: 'date', message: 'date must be a day up to today, 2026-05-04: 2026-05-05 is to come' }
  await expect(pay('1', { date: '2026-05-05' })).rejects.toMatchObject(toCome)
  const paid = { account, amount: '1', currency: 'USD', date: '2026-05-05' }
  await expect(performAs(operator, agent.tenant, addPayment, paid)).rejects.toMatchObject(toCome)
  const early = { field: 'date', message: expect.stringContaining(`must be 2026-05-04, the day of invoice ${MARCH}, or later`) }
  await expect(pay('1', { date: '2026-05-03' })).rejects.toMatchObject(early)
  await expect(pay('1', { invoice: '2026-03-0009' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'invoice' })
  expect((await listed()).open).toEqual([{ currency: 'USD', open: 1000, overdue: 0 }])
})

it('what is paid in two parts, even at once, is paid once', async () => {
  agent.setClock('2026-05-06T12:00:00Z')
  const { date, state, open } = await pay('300', { date: '2026-05-04', reference: 'bank 7' })
  expect([date, state, open]).toEqual(['2026-05-04', 'part_paid', 450])
  const both = await Promise.allSettled([pay('450'), pay('450')])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await states({ state: 'paid' })).toEqual([[MARCH, 'paid', 750, 0]])
  const shown = await performAs(operator, agent.tenant, showInvoice, { invoice: MARCH })
  expect(shown).toMatchObject({ state: 'paid', paid_on: '2026-05-06', open: 0 })
  expect(shown.payments).toMatchObject([
    { date: '2026-05-04', amount: 300, reference: 'bank 7', recorded_by: operator.actor.credential, taken_back: null },
    { date: '2026-05-06', amount: 450, reference: null, taken_back: null },
  ])
})

it('a wrong payment is taken back once, both stay, and both are in the audit log', async () => {
  const { payments } = await performAs(operator, agent.tenant, showInvoice, { invoice: MARCH })
  const payment = payments[1]?.payment_id ?? ''
  const takeBack = (more: object = {}) =>
    performAs(operator, agent.tenant, takeBackPayment, { invoice: MARCH, payment, reason: 'another invoice', ...more })
  await expect(takeBack({ invoice: APRIL })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'payment' })
  expect(await takeBack()).toMatchObject({ state: 'part_paid', settled: 300, open: 450, amount: 450 })
  await expect(takeBack()).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'payment' })
  const after = await performAs(operator, agent.tenant, showInvoice, { invoice: MARCH })
  expect(after.payments[1]).toMatchObject({ amount: 450, taken_back: { reason: 'another invoice' } })
  const entries = await listUnsealed(agent.server.store.read, agent.tenant, 9)
  expect(entries.map(({ task, subject, changes }) => [task, subject, changes])).toContainEqual([
    ...['billing.take-back-payment', MARCH],
    { open: ['0.00 USD', '450.00 USD'], reason: [null, 'another invoice'], payment: [null, payment] },
  ])
})

it('an invoice is overdue after its day, by its days, and the sum of what is open says how much', async () => {
  // Issued on 4 May, due in 30 days.
  agent.setClock('2026-06-10T12:00:00Z')
  const { items, open } = await listed({ state: 'overdue', month: '2026-03' })
  expect(items).toMatchObject([{ invoice_id: MARCH, due_on: '2026-06-03', overdue_days: 7, open: 450 }])
  expect(open).toEqual([{ currency: 'USD', open: 450, overdue: 450 }])
  expect((await listed()).open).toEqual([{ currency: 'USD', open: 700, overdue: 700 }])
  await expect(listed({ state: 'late' })).rejects.toMatchObject({ field: 'state' })
})

it('payments into the account settle the oldest invoice that is open', async () => {
  const into = (amount: string, date: string) =>
    performAs(operator, agent.tenant, addPayment, { account, amount, currency: 'USD', date })
  // Before the first closed month: it paid what was billed elsewhere.
  await into('9000', '2026-02-28')
  await into('500', '2026-06-09')
  await expect(into('0', '2026-06-09')).rejects.toMatchObject({ field: 'amount', message: 'amount must be more than 0' })
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, agent.tenant, { task: 'accounts.payment', limit: 1, outcome: 'ok' })
  expect(entry).toMatchObject({ account, subject: expect.stringMatching(/^pay_/), changes: { counted: [null, '500 USD'] } })
  const [closed] = await listAuditEntries(operator, agent.tenant, { task: 'billing.close', limit: 1, outcome: 'ok' })
  expect(closed?.changes).toEqual({ month: [null, 'closed'], [APRIL]: [null, '250.00 USD'] })
  expect(await states()).toEqual([
    [APRIL, 'overdue', 50, 200],
    [MARCH, 'paid', 750, 0],
  ])
  await expect(pay('1')).rejects.toMatchObject({ message: 'amount must be at most what is open, 0.00 USD' })
})

it('a payment into the account that was recorded wrongly is taken back once: what it settled is open again, and it stays with the reason', async () => {
  const wrong = { account, amount: '150', currency: 'USD', date: '2026-06-10' }
  const { payment_id: payment } = await performAs(operator, agent.tenant, addPayment, wrong)
  expect((await states())[0]).toEqual([APRIL, 'overdue', 200, 50])
  const { data: before } = await agent.buyer.call('get_account_financials', { account: { account_id: account } })
  const takeBack = (more: object = {}) =>
    performAs(operator, agent.tenant, takeBackAccountPayment, { account, payment, reason: 'another account', ...more })
  await expect(takeBack({ payment: 'pay_none' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'payment' })
  expect(await takeBack()).toMatchObject({ payment_id: payment, amount: 150, taken_back: { reason: 'another account' } })
  await expect(takeBack()).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'payment' })
  expect((await states())[0]).toEqual([APRIL, 'overdue', 50, 200])
  const { items } = await performAs(operator, agent.tenant, listPayments, { account })
  expect(items.map(({ amount, taken_back: back }) => [amount, back?.reason])).toEqual([
    [9000, undefined],
    [500, undefined],
    [150, 'another account'],
  ])
  const { data: after } = await agent.buyer.call('get_account_financials', { account: { account_id: account } })
  expect(after).not.toEqual(before)
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, agent.tenant, { task: 'accounts.take-back-payment', limit: 1 })
  expect(entry).toMatchObject({ subject: payment, changes: { counted: ['150 USD', '0 USD'] } })
})

it('money beyond what invoices ask for is the credit of the customer: what is open less it is what the journal has receivable', async () => {
  const { items: before, credits: none } = await listed()
  expect(none).toEqual([])
  const open = before.reduce((sum, invoice) => sum + invoice.open, 0)
  const paid = { account, amount: String(open + 120), currency: 'USD', date: '2026-06-10' }
  const { payment_id: payment } = await performAs(operator, agent.tenant, addPayment, paid)
  const euro = { account, amount: '7', currency: 'EUR', date: '2026-06-10' }
  const { payment_id: other } = await performAs(operator, agent.tenant, addPayment, euro)
  const name = expect.any(String)
  const credits = [
    { currency: 'EUR', credit: 7, accounts: [{ account, account_name: name, credit: 7 }] },
    { currency: 'USD', credit: 120, accounts: [{ account, account_name: name, credit: 120 }] },
  ]
  expect((await listed()).credits).toEqual(credits)
  expect((await listed({ state: 'overdue', account })).credits).toEqual(credits)
  const viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  const shown = await viewer.get(`/console/t/${agent.tenant}/accounts/${account}`)
  expect(shown.text).toMatch(/Credit balance<\/dt><dd[^>]*>€7.00, paid or credited beyond its invoices, \$120.00/)
  const list = await viewer.get(`/console/t/${agent.tenant}/billing`)
  expect(list.text).toContain('Credit of customers: €7.00, $120.00')
  for (const id of [payment, other])
    await performAs(operator, agent.tenant, takeBackAccountPayment, { account, payment: id, reason: 'tried' })
  expect((await listed()).credits).toEqual([])
})

it('get_account_financials has the same invoices, as they stand, and what accrues since', async () => {
  const ACCOUNTED = { account: { account_id: account } }
  const { items } = await listed()
  const { data } = await agent.buyer.call('get_account_financials', ACCOUNTED)
  const status = {
    paid: 'paid',
    overdue: 'past_due',
    open: 'issued',
    part_paid: 'issued',
    credit: 'void',
    credited: 'void',
  } as const
  expect(data.invoices).toEqual(
    items.map(({ invoice_id, payable, state, due_on, paid_on, month }) => ({
      ...{ invoice_id, amount: payable, status: status[state], due_date: due_on },
      period: { start: `${month}-01`, end: month === '2026-03' ? '2026-03-31' : '2026-04-30' },
      ...(paid_on !== null && { paid_date: paid_on }),
    })),
  )
  expect(data.payment_status).toBe('past_due')
  const bought = await agent.create({ start_time: '2026-06-11T00:00:00Z', end_time: '2026-06-21T00:00:00Z' })
  expect(bought.isError).toBe(false)
  agent.setClock('2026-06-22T12:00:00Z')
  const { data: later } = await agent.buyer.call('get_account_financials', ACCOUNTED)
  const [accrual, ...others] = later.invoices
  expect(accrual).toMatchObject({ invoice_id: 'inv_2026_06', amount: 1000, status: 'draft' })
  expect(others).toEqual(data.invoices)
})
