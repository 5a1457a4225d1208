import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { deliveryReport } from '../../src/operator/reports/delivery-report.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { signedIn } from '../support/console-client.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')
const FIRST = 'direct:Kaffe AB'
const GERMAN = 'direct:Kaffe AB · DE123456789'

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const seller = {
    legal_name: 'Tidning AB',
    vat_id: 'SE556677889901',
    country: 'SE',
    city: 'Umeå',
    street: 'Gatan 1',
    postal_code: '1',
  }
  await performAs(operator, agent.tenant, setInvoicing, seller)
  for (const id of ['swedish', 'german', 'plain']) await enter(id)
})
afterAll(() => agent.stop())

async function enter(id: string, currency = 'SEK'): Promise<void> {
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-06-01T00:00:00Z', impressions: 1_000_000 }
  const line = { line_id: 'line', product_id: 'news', ...flight, cpm: 10, creatives }
  const order = { order_id: id, name: id, advertiser: 'Kaffe AB', currency, lines: [line] }
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
  const delivered = { ...NOTHING, impressions: 1000, spendMicros: 10_000_000 }
  await agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      { lineExternalId: anchorOfLine(id, 'line'), period: '2026-03-10', ...delivered },
    ]),
  )
}
const terms = async (order: string, values: object = {}) =>
  (await performAs(operator, agent.tenant, setOrderTerms, { order, ...values })).billing_party
const party = (country: string, vat: string, more: object = {}) => ({
  ...{ advertiser_name: 'Kaffe AB', advertiser_country: country, advertiser_city: 'X', advertiser_vat_id: vat, ...more },
})
const preview = () => performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })

it('two advertisers of one name with other VAT numbers are two, each with its own tax; an order of the name alone is of the first, and named', async () => {
  expect(await terms('swedish', party('SE', 'SE111111111101'))).toBe(FIRST)
  now = new Date('2026-04-03T12:00:00.000Z')
  const before = await preview()
  expect(before.invoices.map(({ account, total }) => [account, total])).toEqual([[FIRST, 30]])
  expect(await terms('german', party('DE', 'DE123456789'))).toBe(GERMAN)
  const { invoices, findings } = await preview()
  expect(invoices.map(({ account, account_name, total, tax }) => [account, account_name, total, tax])).toEqual([
    [GERMAN, 'Kaffe AB', 10, 0],
    [FIRST, 'Kaffe AB', 20, 5],
  ])
  expect(findings.filter(({ kind }) => kind === 'unclear_party')).toMatchObject([
    { subject: FIRST, text: expect.stringContaining('several parties are called Kaffe AB, and the terms of order plain do not') },
  ])
  // What is said again, and what is written otherwise, is the same party.
  expect(await terms('german')).toBe(GERMAN)
  expect(await terms('plain', party('SE', '', { advertiser_city: 'x' }))).toBe(FIRST)
  expect((await preview()).findings.filter(({ kind }) => kind === 'unclear_party')).toEqual([])
  expect(await terms('plain', { advertiser_name: '' })).toBe(FIRST)
})

it('orders of two parties that were stored as one are named, and each is billed apart once its terms are saved', async () => {
  await agent.server.store.transaction((tx) =>
    tx.updateTable('orders').set({ party: FIRST }).where('order_id', '=', 'german').execute(),
  )
  const { invoices, findings } = await preview()
  expect(invoices).toHaveLength(1)
  expect(findings).toContainEqual({
    ...{ kind: 'several_parties', subject: FIRST },
    text: expect.stringMatching(/has order (german|swedish), whose terms name another VAT number, country or address/),
  })
  expect(await terms('german')).toBe(GERMAN)
  expect((await preview()).invoices).toHaveLength(2)
})

it('an order that says nothing of its party takes what another of its orders says, in another currency too', async () => {
  await enter('euro', 'EUR')
  const { invoices, findings } = await preview()
  expect(findings.filter(({ kind }) => kind === 'no_billing_entity')).toEqual([])
  expect(invoices.map(({ account, currency, total, tax }) => [account, currency, total, tax])).toEqual([
    [GERMAN, 'SEK', 10, 0],
    [FIRST, 'EUR', 10, 2.5],
    [FIRST, 'SEK', 20, 5],
  ])
  const { invoices: written } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  const shown = await Promise.all(
    written.map(({ invoice_id: invoice }) => performAs(operator, agent.tenant, showInvoice, { invoice })),
  )
  expect(shown.map(({ payer }) => payer)).toMatchObject([
    { vat_id: 'DE123456789' },
    { vat_id: 'SE111111111101' },
    { vat_id: 'SE111111111101' },
  ])
})

it('lists and reports name who pays, also who has no account', async () => {
  const viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  const { text } = await viewer.get(`/console/t/${agent.tenant}/billing`)
  expect(text).toContain('>Kaffe AB<small')
  expect(text).not.toMatch(/<td[^>]*>direct:/)
  const { rows } = await performAs(operator, agent.tenant, deliveryReport, {
    by: ['account'],
    first: '2026-03-01',
    last: '2026-03-31',
  })
  expect(new Set(rows.map(({ names }) => names.account))).toEqual(new Set(['Kaffe AB', 'Kaffe AB · DE123456789']))
  const order = await viewer.get(`/console/t/${agent.tenant}/direct-orders/plain`)
  expect(order.text).toMatch(/Billed to<\/dt><dd[^>]*>Kaffe AB</)
})
