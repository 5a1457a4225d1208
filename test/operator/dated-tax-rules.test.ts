import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { setInvoicing, showInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { signedIn } from '../support/console-client.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-11-01T12:00:00.000Z')
const RULES = ['SE@2027-01-01=20', 'SE=25']

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  await performAs(operator, agent.tenant, setInvoicing, { legal_name: 'Tidning AB', country: 'SE', vat_id: 'SE556677889901' })
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-11-02T00:00:00Z', ends_at: '2027-06-01T00:00:00Z', impressions: 1_000_000 }
  const line = (line_id: string) => ({ line_id, product_id: 'news', ...flight, cpm: 10, creatives })
  const order = { order_id: 'winter', name: 'Winter', advertiser: 'Kaffe AB', currency: 'SEK', lines: [line('one'), line('two')] }
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
  const terms = { order: 'winter', advertiser_name: 'Kaffe AB', advertiser_country: 'SE', advertiser_vat_id: 'SE111111111101' }
  await performAs(operator, agent.tenant, setOrderTerms, terms)
})
afterAll(() => agent.stop())

const deliver = (line: string, day: string, thousands: number) => {
  const delivered = { ...NOTHING, impressions: thousands * 1000, spendMicros: thousands * 10_000_000 }
  return agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      { lineExternalId: anchorOfLine('winter', line), period: day, ...delivered },
    ]),
  )
}
const preview = (month: string) => performAs(operator, agent.tenant, previewMonth, { month })
const close = (month: string) => performAs(operator, agent.tenant, closeMonth, { month })
const sums = ({ invoices }: { readonly invoices: readonly { invoice_id: string; total: number; tax: number }[] }) =>
  invoices.map(({ invoice_id, total, tax }) => [invoice_id, total, tax])
const taxFindings = ({ findings }: Awaited<ReturnType<typeof preview>>) =>
  findings.filter(({ kind }) => kind === 'tax_changed').map(({ text }) => text)

it('rules with days are saved on the page as they are written there', async () => {
  const ada = await signedIn(agent, 'ada', 'finance', agent.tenant)
  const path = `/console/t/${agent.tenant}/billing/details`
  const saved = await ada.fillIn(path, '/details', { tax_rules: RULES.join('\n') })
  expect(saved.location).toContain('done=changed')
  expect((await performAs(operator, agent.tenant, showInvoicing, {})).tax_rules).toEqual(RULES)
  const refused = await ada.fillIn(path, '/details', { tax_rules: 'SE@2027-13-01=20' })
  expect(refused.text).toContain('is no tax rule')
})

it('December is taxed as December, whenever it is invoiced, and January with the new rate: the preview says since when', async () => {
  await deliver('one', '2026-12-10', 10)
  now = new Date('2027-01-04T12:00:00.000Z')
  expect(taxFindings(await preview('2026-12'))).toEqual([])
  expect(sums(await close('2026-12'))).toEqual([['2026-12-0001', 100, 25]])
  // A line that reports its December after the close, a correction of the other one, and January.
  await deliver('two', '2026-12-20', 3)
  await deliver('one', '2026-12-10', 9)
  await deliver('one', '2027-01-10', 4)
  await performAs(operator, agent.tenant, addCharge, { order: 'winter', amount: '50', reason: 'a second format' })
  now = new Date('2027-02-03T12:00:00.000Z')
  const seen = await preview('2027-01')
  expect(sums(seen)).toEqual([
    ['2027-01-0001', 20, 5],
    ['2027-01-0002', 90, 18],
  ])
  expect(taxFindings(seen)).toEqual([
    expect.stringMatching(
      /^invoice 2027-01-0001 to Kaffe AB holds corrections alone, .* \(25 %\), which is not that of 2027-01$/,
    ),
    expect.stringMatching(
      /^invoice 2027-01-0002 .* taxed with 20 %, 2026-12-0001 .* the rule SE@2027-01-01=20 holds since 2027-01-01$/,
    ),
  ])
  expect(sums(await close('2027-01'))).toEqual(sums(seen))
})

it('an invoice that is credited as a whole is billed anew with the tax of its month', async () => {
  const whole = { invoice: '2026-12-0001', what: 'all', reason: 'another purchase order' }
  await performAs(operator, agent.tenant, creditInvoice, whole)
  await deliver('one', '2027-02-10', 1)
  now = new Date('2027-03-03T12:00:00.000Z')
  const seen = await preview('2027-02')
  // What was corrected to 90 is due anew, less the correction that is invoiced.
  expect(sums(seen)).toEqual([
    ['2027-02-0001', 100, 25],
    ['2027-02-0002', 10, 2],
  ])
  expect(taxFindings(seen)).toEqual([expect.stringMatching(/^invoice 2027-02-0001 .* \(25 %\), which is not that of 2027-02$/)])
  await close('2027-02')
  const { tax_percent, payable } = await performAs(operator, agent.tenant, showInvoice, { invoice: '2027-02-0001' })
  expect([tax_percent, payable]).toEqual([25, 125])
})
