import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addCharge, showCharges, takeChargeBack } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { recordPayment } from '../../src/operator/billing/invoice-payments.ts'
import { listAdjustments } from '../../src/operator/billing/pending-adjustments.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
const [ADVERTISER, NORD, SYD] = ['direct:Nordic Coffee', 'agency:Media Nord AB', 'agency:Media Syd AB']
const PRICE = 10
const TAKEN = [-27, 'taken_back']

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-08-01T00:00:00Z', impressions: 1_000_000 }
  for (const order_id of ['spring', 'fresh', 'moved']) {
    const lines = [{ line_id: 'line', product_id: 'news', ...flight, cpm: PRICE }]
    const text = JSON.stringify({ order_id, name: order_id, advertiser: 'Nordic Coffee', currency: 'USD', lines })
    await enterDirectOrder(operator, agent.tenant, { name: 'order', text })
  }
})
afterAll(() => agent.stop())

const deliver = (order: string, day: string, thousands: number) =>
  agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      {
        lineExternalId: anchorOfLine(order, 'line'),
        period: day,
        ...{ ...NOTHING, impressions: thousands * 1000, spendMicros: thousands * PRICE * 1e6 },
      },
    ]),
  )
const billTo = (order: string, agency: string) =>
  performAs(operator, agent.tenant, setOrderTerms, {
    ...{ order, billed_to: 'agency', agency_name: agency, purchase_order: `PO of ${agency}` },
  })
const charge = (order: string, amount: string, more: object = {}) =>
  performAs(operator, agent.tenant, addCharge, { order, amount, reason: 'agreed', ...more })
const add = async (...asked: Parameters<typeof charge>) => (await charge(...asked)).account
async function close(month: string, at: string): Promise<readonly (readonly [string, number])[]> {
  now = new Date(at)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
  return invoices.map(({ account, total }) => [account, total])
}
/** What is open of each invoice. */
const open = async () => {
  const { items } = await performAs(operator, agent.tenant, listInvoices, {})
  return Object.fromEntries(items.map(({ invoice_id: id, open: amount }) => [id, amount]))
}
const charged = async (account: string) =>
  (await performAs(operator, agent.tenant, showCharges, { account })).items.map(({ amount, state }) => [amount, state]).toSorted()

it('a credit is of who was billed, whoever pays for the order by now; a charge is of who pays', async () => {
  await deliver('spring', '2026-03-10', 3)
  expect(await close('2026-03', '2026-04-03T12:00:00.000Z')).toEqual([[ADVERTISER, 30]])
  await billTo('spring', 'Media Nord AB')
  await deliver('spring', '2026-04-02', 5)
  expect(await add('spring', '4', { credit: true })).toBe(ADVERTISER)
  // More than what is left of what the advertiser was billed.
  const large = await charge('spring', '27', { credit: true })
  expect(large.account).toBe(NORD)
  await performAs(operator, agent.tenant, takeChargeBack, { charge: large.charge_id, reason: 'a mistake' })
  expect(await add('spring', '7')).toBe(NORD)
  expect([await charged(ADVERTISER), await charged(NORD)]).toEqual([[[-4, 'open']], [TAKEN, [7, 'open']]])
  expect(await close('2026-04', '2026-05-03T12:00:00.000Z')).toEqual([
    [NORD, 57],
    [ADVERTISER, -4],
  ])
  const [credit] = (await performAs(operator, agent.tenant, showCharges, { account: ADVERTISER, state: 'billed' })).items
  const back = performAs(operator, agent.tenant, takeChargeBack, { charge: credit?.charge_id, reason: 'a mistake' })
  await expect(back).rejects.toThrow('is on invoice 2026-04-0002: charge the order what was too much of it')
  const early = { invoice: '2026-04-0001', amount: '1', date: '2026-04-30' }
  await expect(performAs(operator, agent.tenant, recordPayment, early)).rejects.toThrow('its customer has no account to pay into')
  const note = await performAs(operator, agent.tenant, showInvoice, { invoice: '2026-04-0002' })
  expect(JSON.stringify(note)).not.toContain('Media Nord')
  expect(note).toMatchObject({ kind: 'credit_note', refers_to: null, lines: [{ of_invoice: '2026-03-0001' }] })
  expect(note.reads.facts).toContainEqual({ name: 'For invoice', value: '2026-03-0001' })
})

it('it settles invoices of the party that has it, and of no other; so does a credit note', async () => {
  expect(await open()).toMatchObject({ '2026-03-0001': 26, '2026-04-0001': 57 })
  const credit = { invoice: '2026-03-0001', what: 'amount', amount: '5', reason: 'late' }
  expect(await performAs(operator, agent.tenant, creditInvoice, credit)).toMatchObject({ account: ADVERTISER })
  await billTo('spring', 'Media Syd AB')
  expect(await open()).toMatchObject({ '2026-03-0001': 21, '2026-04-0001': 57 })
  expect([await charged(ADVERTISER), await charged(SYD)]).toEqual([[[-4, 'billed']], []])
  expect(await charged(NORD)).toEqual([TAKEN, [7, 'billed']])
})

it('a credit from before the first invoice stays with who paid then; what is billed anew is of who pays now', async () => {
  await deliver('fresh', '2026-05-02', 2)
  expect(await add('fresh', '1', { credit: true })).toBe(ADVERTISER)
  await billTo('fresh', 'Media Nord AB')
  await performAs(operator, agent.tenant, creditInvoice, { invoice: '2026-04-0001', what: 'all', reason: 'another pays' })
  expect(await charged(SYD)).toEqual([[7, 'open']])
  expect(await close('2026-05', '2026-06-03T12:00:00.000Z')).toEqual([
    [NORD, 20],
    [SYD, 57],
    [ADVERTISER, -1],
  ])
})

it('a credit has the purchase order of the invoice that it gives back of, and the delivery of its month that of today', async () => {
  await deliver('spring', '2026-06-02', 1)
  await performAs(operator, agent.tenant, setOrderTerms, { order: 'spring', purchase_order: 'PO 2' })
  expect(await add('spring', '3', { credit: true })).toBe(SYD)
  expect(await close('2026-06', '2026-07-03T12:00:00.000Z')).toEqual([[SYD, 7]])
  const { lines } = await performAs(operator, agent.tenant, showInvoice, { invoice: '2026-06-0001' })
  expect(lines.map(({ kind, po_number: po }) => [kind, po])).toEqual([
    ['delivery', 'PO 2'],
    ['credit', 'PO of Media Syd AB'],
  ])
  const [fee] = (await performAs(operator, agent.tenant, showCharges, { account: SYD, state: 'billed' })).items
  expect(fee).toMatchObject({
    ...{ order_id: 'spring', account_name: 'Media Syd AB', order_name: 'Nordic Coffee: spring', product_name: 'news' },
  })
  await deliver('spring', '2026-06-02', -1)
  expect((await performAs(operator, agent.tenant, listAdjustments, {})).items).toMatchObject([
    {
      ...{ order_id: 'spring', line_id: 'line', media_buy_id: 'spring', package_id: 'line', product_id: 'news' },
      ...{ account_name: 'Media Syd AB', order_name: 'Nordic Coffee: spring', product_name: 'news' },
    },
  ])
})

it('a party is credited no more than what it was billed or owes, less what was given back to it', async () => {
  await deliver('moved', '2026-06-20', 3)
  const closed = await close('2026-07', '2026-08-03T12:00:00.000Z')
  const at = closed.findIndex(([account]) => account === ADVERTISER)
  expect(closed[at]).toEqual([ADVERTISER, 30])
  const invoice = `2026-07-000${at + 1}`
  await billTo('moved', 'Media Nord AB')
  await deliver('moved', '2026-07-20', 5)
  const note = (amount: string) =>
    performAs(operator, agent.tenant, creditInvoice, { invoice, what: 'amount', amount, reason: 'late' })
  await note('10')
  // The advertiser has 20 left, whatever its invoice said; the agency owes 50.
  expect(await add('moved', '27', { credit: true })).toBe(NORD)
  await expect(charge('moved', '24', { credit: true })).rejects.toMatchObject({
    ...{ code: 'INVALID_REQUEST', field: 'amount' },
    message: expect.stringContaining(`${ADVERTISER} 20.00 USD, ${NORD} 23.00 USD`),
  })
  expect(await add('moved', '15', { credit: true })).toBe(ADVERTISER)
  await expect(note('5.01')).rejects.toThrow('at most what is left, 5.00 USD')
  await note('5')
  expect(await add('moved', '23', { credit: true })).toBe(NORD)
  await expect(charge('moved', '0.01', { credit: true })).rejects.toThrow('at most 0.00 USD')
})
