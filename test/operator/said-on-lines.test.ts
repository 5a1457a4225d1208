import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
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

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-08-01T00:00:00Z', impressions: 1_000_000 }
  for (const [order_id, advertiser] of [
    ['limited', 'Kaffe AB'],
    ['moved', 'Nordic Coffee'],
  ]) {
    const lines = [{ line_id: 'line', product_id: 'news', ...flight, cpm: 10, budget: 100 }]
    const text = JSON.stringify({ order_id, name: order_id, advertiser, currency: 'USD', lines })
    await enterDirectOrder(operator, agent.tenant, { name: 'order', text })
  }
})
afterAll(() => agent.stop())

const deliver = (order: string, day: string, impressions: number, spend: number) =>
  agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      {
        lineExternalId: anchorOfLine(order, 'line'),
        period: day,
        ...{ ...NOTHING, impressions, spendMicros: spend * 1e6 },
      },
    ]),
  )
const terms = (order: string, more: object) => performAs(operator, agent.tenant, setOrderTerms, { order, ...more })
/** Closes a month: its lines by the account that they are billed to. */
async function close(month: string, at: string) {
  now = new Date(at)
  const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month })
  const pages = await Promise.all(
    invoices.map(({ invoice_id: invoice }) => performAs(operator, agent.tenant, showInvoice, { invoice })),
  )
  return Object.fromEntries(pages.map((page) => [page.account, page]))
}

it('a line that spent its budget says so where more was delivered; a correction has the purchase order and the order of its invoice', async () => {
  await terms('moved', { purchase_order: 'PO-1' })
  await deliver('limited', '2026-03-10', 8_000, 80)
  await deliver('moved', '2026-03-10', 3_000, 30)
  const march = await close('2026-03', '2026-04-03T12:00:00.000Z')
  expect(march['direct:Kaffe AB']?.lines).toMatchObject([{ quantity: 8_000, rate: 10, rate_basis: 'agreed', amount: 80 }])

  const { items } = await performAs(operator, agent.tenant, listInvoices, {})
  expect(items.map(({ account_name: name }) => name)).toEqual(['Kaffe AB', 'Nordic Coffee'])

  await deliver('limited', '2026-04-10', 5_000, 20)
  await terms('moved', { billed_to: 'agency', agency_name: 'Media Nord AB', purchase_order: 'PO-2' })
  await deliver('moved', '2026-03-10', 2_000, 20)
  const april = await close('2026-04', '2026-05-03T12:00:00.000Z')
  const limited = april['direct:Kaffe AB']
  expect(limited?.lines).toMatchObject([{ quantity: 5_000, rate: 4, rate_basis: 'budget_average', gross: 20 }])
  expect(limited?.reads.rows[0]?.join()).toContain(
    '4.00 USD / 1,000 (average: its budget was spent or its goal reached, the rest cost nothing)',
  )
  expect(limited?.reads.rows[0]?.join()).toContain('Exact amount, the sum of its days: 20.00 USD')
  const [correction] = april['direct:Nordic Coffee']?.lines ?? []
  expect(correction).toMatchObject({ kind: 'adjustment', amount: -10, po_number: 'PO-1', order_name: 'Nordic Coffee: moved' })
})
