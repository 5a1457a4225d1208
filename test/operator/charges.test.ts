import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCharge, showCharges, takeChargeBack } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { previewLines } from '../../src/operator/billing/preview-lines.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { cancelOrder } from '../../src/operator/orders/change-order.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const cancellation_policy = {
  notice_period: { interval: 7, unit: 'days' as const },
  cancellation_fee: { type: 'percent_remaining' as const, rate: 0.25 },
}

let agent: MediaBuyAgent
let operator: OperatorContext

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('quarter', { cancellation_policy, format_ids: [] })])
  operator = operatorBeside(agent, agent.server.clock)
})
afterAll(() => agent.stop())

const order = async (start_time = '2026-03-02T00:00:00Z', end_time = '2026-03-12T00:00:00Z') => {
  const packages = [{ product_id: 'quarter', pricing_option_id: 'cpm', budget: 1000 }]
  const { data, isError } = await agent.create({ start_time, end_time, packages })
  expect(isError).toBe(false)
  return data
}
const cancel = (media_buy_id: string) => agent.run('update_media_buy', { media_buy_id, canceled: true })
const charges = async (filter: object = {}) => (await performAs(operator, agent.tenant, showCharges, { ...filter })).items
const add = (fields: object) => performAs(operator, agent.tenant, addCharge, { reason: 'agreed', amount: '10', ...fields })
const financials = async () => {
  const [{ account_id }] = (await agent.buyer.call('list_accounts')).data.accounts
  return (await agent.buyer.call('get_account_financials', { account: { account_id } })).data
}

let bought: string
let canceled: string
let packageId: string

it('the fee of a cancellation is a charge from the moment of it, once', async () => {
  bought = (await order()).media_buy_id
  const data = await order('2026-03-05T00:00:00Z', '2026-03-25T00:00:00Z')
  canceled = data.media_buy_id
  packageId = data.packages[0].package_id
  expect(await charges()).toEqual([])
  expect((await cancel(canceled)).isError).toBe(false)
  expect(await charges()).toMatchObject([
    {
      ...{ charge_id: `fee_${packageId}`, kind: 'cancellation', order_id: canceled, line_id: packageId, currency: 'USD' },
      ...{ amount: 250, state: 'open', invoice_id: null, made_by: null },
      reason:
        'cancellation: 25 % of 1000 USD, the largest commitment since the notice began, less 0 USD spent; since the notice of 7 days had begun, which later dates do not undo',
    },
  ])
  // Neither notice that is kept nor a cancellation by the publisher is charged.
  await cancel((await order('2026-03-20T00:00:00Z', '2026-03-25T00:00:00Z')).media_buy_id)
  const seller = (await order('2026-03-05T00:00:00Z', '2026-03-25T00:00:00Z')).media_buy_id
  await performAs(operator, agent.tenant, cancelOrder, { order: seller, reason: 'sold out' })
  expect(await charges()).toHaveLength(1)
})

it('people charge and credit an order or a line of it; what cannot be is refused and named', async () => {
  agent.setClock('2026-03-02T12:00:00Z')
  expect(await add({ order: canceled, line: packageId, amount: '50.25', credit: true, reason: 'goodwill' })).toMatchObject({
    ...{ kind: 'entered', amount: -50.25, line_id: packageId, state: 'open', made_by: operator.actor.credential },
  })
  const over = { order: canceled, line: packageId, credit: true, reason: 'more than that' }
  await expect(add({ ...over, amount: '199.76' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'amount',
    message: 'amount must be at most 199.75 USD: what the line was charged until now and is not given back yet',
  })
  const { line: _line, ...whole } = over
  await expect(add({ ...whole, amount: '199.76' })).rejects.toMatchObject({ field: 'amount' })
  await expect(add({ order: 'mb_none' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  await expect(add({ order: canceled, line: 'other' })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'line' })
  await expect(add({ order: canceled, amount: '0' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
  await expect(add({ order: canceled, amount: '-5' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
  for (const amount of ['1.001', '1,001', '1,200', '1.200', '1 2345', '1.200,5,5', '12x'])
    await expect(add({ order: canceled, amount })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'amount' })
})

it('a charge is taken back once, and counts for nothing', async () => {
  const { charge_id: charge } = await add({ order: bought, amount: '99' })
  const takeBack = () => performAs(operator, agent.tenant, takeChargeBack, { charge, reason: 'waived' })
  expect(await takeBack()).toMatchObject({ state: 'taken_back', taken_back: { reason: 'waived', by: operator.actor.credential } })
  await expect(takeBack()).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'charge' })
  expect(await charges({ state: 'open' })).toHaveLength(2)
  expect(await charges({ order: bought })).toMatchObject([{ charge_id: charge, state: 'taken_back' }])
  const first = await performAs(operator, agent.tenant, showCharges, { limit: 2 })
  const rest = await performAs(operator, agent.tenant, showCharges, { limit: 2, cursor: first.next_cursor ?? '' })
  expect([...first.items, ...rest.items]).toEqual(await charges())
})

it('a fee that is waived is no longer owed in the order, which says why', async () => {
  const { media_buy_id: waived, packages } = await order('2026-03-05T00:00:00Z', '2026-03-25T00:00:00Z')
  await cancel(waived)
  const owed = async () =>
    (await agent.buyer.call('get_media_buys', { media_buy_ids: [waived], include_history: 1 })).data.media_buys[0]
  expect((await owed()).ext.terms).toMatchObject([{ cancellation_owed: 250 }])
  const charge = `fee_${packages[0].package_id}`
  await performAs(operator, agent.tenant, takeChargeBack, { charge, reason: 'a good customer' })
  const { ext, history } = await owed()
  expect(ext.terms).toMatchObject([{ cancellation_owed: 0, cancellation_rule: 'waived: a good customer' }])
  expect(history).toMatchObject([{ summary: 'Fee of the cancellation waived by the publisher: a good customer' }])
  expect(await charges({ order: waived })).toMatchObject([{ state: 'taken_back' }])
})

it('charges are what the account owes, in the preview, on the invoice of their month, and on no other', async () => {
  agent.setClock('2026-03-20T12:00:00Z')
  expect(await financials()).toMatchObject({
    spend: { total_spend: 1000 },
    ext: { fees: [{ currency: 'USD', amount: 250 - 50.25 }] },
  })
  agent.setClock('2026-04-02T12:00:00Z')
  await add({ order: canceled, amount: '7', reason: 'of April' })
  const seen = await performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })
  expect(seen.invoices).toMatchObject([{ total: 1199.75, charges: 199.75, adjustments: 0, lines: 3 }])
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-03', digest: seen.digest })
  const invoice = await performAs(operator, agent.tenant, showInvoice, { invoice: '2026-03-0001' })
  expect(invoice.total).toBe(1199.75)
  expect(invoice.lines.map(({ kind, amount, unit, reason }) => [kind, amount, unit, reason?.slice(0, 17)])).toEqual([
    ['delivery', 1000, 'impressions', undefined],
    ['charge', 250, 'fee', 'cancellation: 25 '],
    ['credit', -50.25, 'fee', 'goodwill'],
  ])
  const account = (await charges({ state: 'billed' }))[0]?.account
  const { totals } = await performAs(operator, agent.tenant, reconcileReports, { account, month: '2026-03' })
  expect(totals).toEqual([
    { currency: 'USD', reported: 0, settled: 0, corrected: 0, billed: 1000, fees: 199.75, invoiced: 1199.75, difference: 1000 },
  ])
  expect(await charges({ state: 'billed' })).toMatchObject([{ invoice_id: '2026-03-0001' }, { invoice_id: '2026-03-0001' }])
  const fee = { charge: `fee_${packageId}`, reason: 'late' }
  await expect(performAs(operator, agent.tenant, takeChargeBack, fee)).rejects.toThrow('is on invoice 2026-03-0001')
  const { invoices } = await financials()
  expect(invoices).toMatchObject([
    { status: 'draft', amount: 7 },
    { invoice_id: '2026-03-0001', amount: 1199.75 },
  ])
})

it('credits of more than what is billed make a credit note, which lowers what is owed', async () => {
  agent.setClock('2026-04-10T12:00:00Z')
  await add({ order: canceled, amount: '107', credit: true, reason: 'as agreed' })
  agent.setClock('2026-05-02T12:00:00Z')
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-04' })
  expect(invoices).toMatchObject([{ total: -100, payable: -100, due_on: null }])
  const page = await performAs(operator, agent.tenant, showInvoice, { invoice: '2026-04-0001' })
  expect(page).toMatchObject({ kind: 'credit_note', state: 'credit', total: -100 })
  expect(page.lines.map(({ amount }) => amount)).toEqual([7, -107])
  const { items } = await performAs(operator, agent.tenant, listInvoices, { month: '2026-03' })
  expect(items).toMatchObject([{ settled: 100, open: 1099.75 }])
})

it('the lines of a preview come page by page, in the language of who gets the invoice, until something changes', async () => {
  agent.setClock('2026-05-10T12:00:00Z')
  const { media_buy_id: id, packages } = await order('2026-05-12T00:00:00Z', '2026-05-25T00:00:00Z')
  await cancel(id)
  agent.setClock('2026-05-11T12:00:00Z')
  await add({ order: id, amount: '5', reason: 'rush' })
  agent.setClock('2026-05-12T12:00:00Z')
  await add({ order: id, amount: '2', credit: true, reason: 'kulans' })
  agent.setClock('2026-06-02T12:00:00Z')
  await performAs(operator, agent.tenant, setInvoicing, { legal_name: 'Acme', country: 'SE', language: 'sv' })
  const asked = { month: '2026-05', limit: 2 }
  const first = await performAs(operator, agent.tenant, previewLines, asked)
  expect(first.items).toMatchObject([
    {
      ...{ invoice_id: '2026-05-0001', kind: 'charge', package_id: packages[0].package_id, quantity: 1, rate: 250, amount: 250 },
      reason: 'avbokning: 25 % av en budget på 1 000,00 USD minus levererat för 0,00 USD; inom avbokningsfristen: 7 dygn',
    },
    { kind: 'charge', amount: 5, reason: 'rush' },
  ])
  const cursor = first.next_cursor ?? ''
  const rest = await performAs(operator, agent.tenant, previewLines, { ...asked, cursor })
  expect(rest).toMatchObject({ items: [{ kind: 'credit', quantity: null, rate: null, amount: -2 }], next_cursor: null })
  expect((await performAs(operator, agent.tenant, previewLines, { ...asked, invoice: '2026-05-0002' })).items).toEqual([])
  await performAs(operator, agent.tenant, setInvoicing, { language: 'de' })
  await expect(performAs(operator, agent.tenant, previewLines, { ...asked, cursor })).rejects.toMatchObject({ field: 'cursor' })
  const { items } = await performAs(operator, agent.tenant, previewLines, asked)
  expect(items[0]?.reason).toMatch(/^Stornierung: 25 % von einem Budget von 1\.000,00 USD/)
})
