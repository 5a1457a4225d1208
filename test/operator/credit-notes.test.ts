import { afterAll, beforeAll, expect, it } from 'vitest'
import { setCredit } from '../../src/operator/accounts/account-money.ts'
import { addCharge, showCharges } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { invoiceFile } from '../../src/operator/billing/invoice-file.ts'
import { recordPayment } from '../../src/operator/billing/invoice-payments.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { listAdjustments } from '../../src/operator/billing/pending-adjustments.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { correctingAdServer } from '../support/correcting-ad-server.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
/** Micros that the ad server takes back of the first day of each line. */
let correctionMicros = 0

beforeAll(async () => {
  const adServer = correctingAdServer(() => correctionMicros)
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now, adServer })
  operator = operatorBeside(agent, () => now, adServer)
  await performAs(operator, agent.tenant, setInvoicing, {
    country: 'DE',
    vat_id: 'DE123456789',
    legal_name: 'Acme GmbH',
    tax_rules: ['*=20'],
  })
  // 1,000 each: one in March, one in April.
  for (const month of ['03', '04']) {
    const flight = { start_time: `2026-${month}-02T00:00:00Z`, end_time: `2026-${month}-12T00:00:00Z` }
    const { data, isError } = await agent.create(flight)
    expect(isError).toBe(false)
    if (month === '03') order = data.media_buy_id
  }
  await performAs(operator, agent.tenant, addCharge, { order, amount: '30', reason: 'late files' })
  now = new Date('2026-05-04T12:00:00.000Z')
  for (const month of ['2026-03', '2026-04']) await performAs(operator, agent.tenant, closeMonth, { month })
})
afterAll(() => agent.stop())

let order = ''
const [MARCH, APRIL] = ['2026-03-0001', '2026-04-0001']
const credit = (invoice: string, what: string, more: object = {}) =>
  performAs(operator, agent.tenant, creditInvoice, { invoice, what, reason: 'agreed', ...more })
const page = (invoice: string) => performAs(operator, agent.tenant, showInvoice, { invoice })
const pending = async () => (await performAs(operator, agent.tenant, listAdjustments, {})).items
const states = async () => {
  const { items } = await performAs(operator, agent.tenant, listInvoices, {})
  return Object.fromEntries(items.map(({ invoice_id, state, payable, open }) => [invoice_id, [state, payable, open]]))
}
const financials = async () => {
  const [{ account_id }] = (await agent.buyer.call('list_accounts')).data.accounts
  return (await agent.buyer.call('get_account_financials', { account: { account_id } })).data
}

it('an amount of a line is given back with the tax of the invoice, and settles it', async () => {
  expect(await states()).toEqual({ [MARCH]: ['open', 1236, 1236], [APRIL]: ['open', 1200, 1200] })
  await expect(credit(MARCH, 'amount', { position: 1 })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
  await expect(credit(MARCH, 'amount', { amount: '10' })).rejects.toMatchObject({ field: 'position' })
  await expect(credit(MARCH, 'amount', { amount: '10', position: 3 })).rejects.toMatchObject({ field: 'position' })
  await expect(credit(MARCH, 'amount', { amount: '1000.01', position: 1 })).rejects.toThrow('at most what is left, 1000.00 USD')
  await expect(credit('2026-03-0002', 'all')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  const note = await credit(APRIL, 'amount', { amount: '100', reason: 'a day without picture' })
  expect(note).toMatchObject({ invoice_id: `${APRIL}-C1`, total: -100, tax: -20, payable: -120, due_on: null, refers_to: APRIL })
  expect(await states()).toEqual({
    ...{ [MARCH]: ['open', 1236, 1236], [APRIL]: ['part_paid', 1200, 1080] },
    [`${APRIL}-C1`]: ['credit', -120, 0],
  })
  const shown = await page(`${APRIL}-C1`)
  expect(shown).toMatchObject({ kind: 'credit_note', lines: [{ kind: 'credit', amount: -100, product_id: 'news' }] })
  expect(shown.reads.facts).toEqual(
    expect.arrayContaining([
      { name: 'For invoice', value: APRIL },
      { name: 'Reason', value: 'a day without picture' },
    ]),
  )
  expect(await page(APRIL)).toMatchObject({ payable: 1200, credit_notes: [{ invoice_id: `${APRIL}-C1` }] })
  const { content_base64: csv } = await performAs(operator, agent.tenant, invoiceFile, { invoice: `${APRIL}-C1`, format: 'csv' })
  expect(Buffer.from(csv, 'base64').toString()).toContain(',-100\r\n')
  await expect(credit(`${APRIL}-C1`, 'all')).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'invoice' })
  await expect(credit(APRIL, 'all')).rejects.toThrow('credit what is left, 900.00 USD, by amount')
  // What was given back is not billed anew.
  expect(await pending()).toEqual([])
})

it('a correction is pending until a credit note bills it, and is owed meanwhile', async () => {
  await expect(credit(MARCH, 'corrections')).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'what' })
  const [{ account_id }] = (await agent.buyer.call('list_accounts')).data.accounts
  const limit = { account: account_id, amount: '10000', currency: 'USD' }
  await performAs(operator, agent.tenant, setCredit, limit)
  const available = async () => (await financials()).credit.available_credit
  expect(await available()).toBe(10_000 - 1236 - 1200 + 120)
  correctionMicros = 1_234_567
  expect(await available()).toBe(10_000 - 1236 - 1200 + 120 + 2 * 1.234567)
  expect((await pending()).map(({ service_month, amount, impressions }) => [service_month, amount, impressions])).toEqual([
    ['2026-03', -1.234567, 0],
    ['2026-04', -1.234567, 0],
  ])
  const note = await credit(MARCH, 'corrections', { reason: 'invalid traffic' })
  expect(note).toMatchObject({ invoice_id: `${MARCH}-C1`, total: -1.234567, payable: -1.48 })
  expect((await page(`${MARCH}-C1`)).lines).toMatchObject([{ kind: 'adjustment', amount: -1.234567, service_month: '2026-03' }])
  expect((await pending()).map(({ service_month }) => service_month)).toEqual(['2026-04'])
  await expect(credit(MARCH, 'corrections')).rejects.toMatchObject({ code: 'INVALID_STATE' })
})

it('an invoice that is credited as a whole is billed anew with the next month, once, with its charges', async () => {
  // April has a credit note already; May gets an invoice that is right but for its purchase order.
  const { isError } = await agent.create({ start_time: '2026-05-06T00:00:00Z', end_time: '2026-05-16T00:00:00Z' })
  expect(isError).toBe(false)
  await performAs(operator, agent.tenant, addCharge, { order, amount: '70', reason: 'of May' })
  now = new Date('2026-06-02T12:00:00.000Z')
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-05' })
  const may = await page('2026-05-0001')
  // The correction of April that was pending is on it, and one of its own first day is not.
  expect(may.total).toBe(1000 - 2 * 1.234567 + 70)
  await performAs(operator, agent.tenant, recordPayment, { invoice: '2026-05-0001', amount: '500' })
  const both = await Promise.allSettled([credit('2026-05-0001', 'all'), credit('2026-05-0001', 'all')])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const note = await page('2026-05-0001-C1')
  expect([note.total, note.payable]).toEqual([-may.total, -may.payable])
  expect((await states())['2026-05-0001']).toEqual(['credited', may.payable, 0])
  // What was paid of it settles the oldest invoice.
  expect((await states())[MARCH]?.[0]).toBe('part_paid')
  expect((await pending()).map(({ service_month, reason }) => [service_month, reason])).toEqual([
    ['2026-04', null],
    ['2026-05', 'billed anew: invoice 2026-05-0001 was credited'],
  ])
  const open = await performAs(operator, agent.tenant, showCharges, { state: 'open' })
  expect(open.items).toMatchObject([{ amount: 70, reason: 'of May' }])
  const { invoices } = await financials()
  expect(invoices.find(({ invoice_id }: { invoice_id: string }) => invoice_id === '2026-05-0001')).toMatchObject({
    status: 'void',
  })
  now = new Date('2026-07-02T12:00:00.000Z')
  const { invoices: june } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-06' })
  expect(june).toMatchObject([{ invoice_id: '2026-06-0001', total: may.total }])
  expect((await page('2026-06-0001')).lines.map(({ reason }) => reason)).toContain(
    'billed anew: invoice 2026-05-0001 was credited',
  )
  expect(await pending()).toEqual([])
  // All invoices and credit notes together are what was delivered and charged, less what was given back.
  const { items } = await performAs(operator, agent.tenant, listInvoices, {})
  const total = items.reduce((sum, each) => sum + Math.round(each.total * 1e6), 0)
  expect(total).toBe(3 * (1_000_000_000 - 1_234_567) + 100_000_000 - 100_000_000)
})

it('a credit of the month that gives back an earlier one leaves the delivery of the month to be credited', async () => {
  correctionMicros = 0
  now = new Date('2026-07-20T12:00:00.000Z')
  const { data } = await agent.create({ start_time: '2026-07-27T00:00:00Z', end_time: '2026-08-06T00:00:00Z' })
  now = new Date('2026-08-20T12:00:00.000Z')
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-07' })
  // 500 of July and 300 of August are given back; 2,000 of another order keep the invoice of August above 0.
  await performAs(operator, agent.tenant, addCharge, { order: data.media_buy_id, amount: '800', credit: true, reason: 'agreed' })
  await performAs(operator, agent.tenant, addCharge, { order, amount: '2000', reason: 'studio' })
  now = new Date('2026-09-02T12:00:00.000Z')
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-08' })
  const { lines } = await page('2026-08-0001')
  const own = lines.filter(({ order_id }) => order_id === data.media_buy_id)
  expect(own.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['delivery', 500],
    ['credit', -800],
  ])
  const of = (kind: string, amount: string) => {
    const position = lines.findIndex((line) => line.kind === kind && line.order_id === data.media_buy_id) + 1
    return credit('2026-08-0001', 'amount', { amount, position })
  }
  await expect(of('credit', '1')).rejects.toThrow('at most what is left, 0.00 USD')
  await expect(of('delivery', '200.01')).rejects.toThrow('at most what is left, 200.00 USD')
  expect(await of('delivery', '200')).toMatchObject({ total: -200 })
  await expect(of('delivery', '0.01')).rejects.toThrow('at most what is left, 0.00 USD')
})
