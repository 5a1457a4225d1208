import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { previewLines } from '../../src/operator/billing/preview-lines.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
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
  await invoicing({ legal_name: 'Tidning AB', country: 'SE', vat_id: 'SE556677889901' })
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-06-01T00:00:00Z', impressions: 1_000_000 }
  const line = { line_id: 'line', product_id: 'news', ...flight, cpm: 10, creatives }
  const order = { order_id: 'spring', name: 'Spring', advertiser: 'Kaffe AB', currency: 'SEK', lines: [line] }
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
  const terms = { order: 'spring', advertiser_name: 'Kaffe AB', advertiser_country: 'SE', advertiser_vat_id: 'SE111111111101' }
  await performAs(operator, agent.tenant, setOrderTerms, terms)
})
afterAll(() => agent.stop())

const invoicing = (values: object) => performAs(operator, agent.tenant, setInvoicing, { ...values })
const deliver = (day: string, thousands: number) => {
  const delivered = { ...NOTHING, impressions: thousands * 1000, spendMicros: thousands * 10_000_000 }
  return agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      { lineExternalId: anchorOfLine('spring', 'line'), period: day, ...delivered },
    ]),
  )
}
const preview = (month: string) => performAs(operator, agent.tenant, previewMonth, { month })
const close = (month: string) => performAs(operator, agent.tenant, closeMonth, { month })
const show = (invoice: string) => performAs(operator, agent.tenant, showInvoice, { invoice })
const sums = ({ invoices }: { readonly invoices: readonly { invoice_id: string; total: number; tax: number }[] }) =>
  invoices.map(({ invoice_id, total, tax }) => [invoice_id, total, tax])

it('a correction, and a credit of what was invoiced, have the tax of their invoice; what is delivered has that of today', async () => {
  await deliver('2026-03-10', 10)
  now = new Date('2026-04-03T12:00:00.000Z')
  expect(sums(await close('2026-03'))).toEqual([['2026-03-0001', 100, 25]])
  await deliver('2026-03-10', 7)
  await deliver('2026-04-10', 5)
  now = new Date('2026-05-03T12:00:00.000Z')
  // At the tax of before, all of it is one invoice.
  expect(sums(await preview('2026-04'))).toEqual([['2026-04-0001', 20, 5]])
  await invoicing({ tax_rules: ['SE=20'] })
  const seen = await preview('2026-04')
  expect(sums(seen)).toEqual([
    ['2026-04-0001', -30, -7.5],
    ['2026-04-0002', 50, 10],
  ])
  expect(seen.invoices.map(({ before }) => before)).toEqual([0, 100])
  expect(seen.findings.filter(({ kind }) => kind === 'tax_changed').map(({ text }) => text)).toEqual([
    expect.stringMatching(/^invoice 2026-04-0001 to Kaffe AB holds corrections alone, .* of what they correct \(25 %\)/),
    expect.stringMatching(/^invoice 2026-04-0002 to Kaffe AB is taxed with 20 %, 2026-03-0001 of the month before was not/),
  ])
  const asked = { month: '2026-04', invoice: '2026-04-0001' }
  const { items } = await performAs(operator, agent.tenant, previewLines, asked)
  expect(items).toMatchObject([{ kind: 'adjustment', of_invoice: '2026-03-0001', amount: -30 }])
  expect(sums(await close('2026-04'))).toEqual(sums(seen))
  expect(await show('2026-04-0001')).toMatchObject({ kind: 'credit_note', tax_percent: 25, payable: -37.5 })
  expect(await show('2026-04-0002')).toMatchObject({ kind: 'invoice', tax_percent: 20, payable: 60 })
})

it('a later correction of the same month stays at its tax, a credit of it too; the next month has one tax again', async () => {
  await deliver('2026-03-10', 8)
  await deliver('2026-05-10', 4)
  now = new Date('2026-06-03T12:00:00.000Z')
  expect(sums(await preview('2026-05'))).toEqual([
    ['2026-05-0001', 10, 2.5],
    ['2026-05-0002', 40, 8],
  ])
  await invoicing({ tax_rules: ['SE=10'] })
  const credit = { order: 'spring', line: 'line', amount: '5', credit: true, reason: 'late files' }
  await performAs(operator, agent.tenant, addCharge, credit)
  now = new Date('2026-07-03T12:00:00.000Z')
  await close('2026-05')
  // The credit is of the latest invoice of its line, which has 10 % already.
  expect(sums(await preview('2026-06'))).toEqual([['2026-06-0001', -5, -0.5]])
  await invoicing({ tax_rules: ['SE=12'] })
  expect(sums(await preview('2026-06'))).toEqual([['2026-06-0001', -5, -0.5]])
})
