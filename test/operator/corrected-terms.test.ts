import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { correctingAdServer } from '../support/correcting-ad-server.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-10-01T12:00:00.000Z')
/** Micros that the ad server takes back of the first day. */
let correctionMicros = 0
let order = ''

beforeAll(async () => {
  const adServer = correctingAdServer(() => correctionMicros)
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now, adServer })
  operator = operatorBeside(agent, () => now, adServer)
  const { data } = await agent.create({ start_time: '2026-10-02T00:00:00Z', end_time: '2026-10-12T00:00:00Z' })
  order = data.media_buy_id
  await terms(500, 1250)
  now = new Date('2026-11-02T12:00:00.000Z')
  await close('2026-10')
})
afterAll(() => agent.stop())

const terms = (discount: number, commission: number) =>
  performAs(operator, agent.tenant, setOrderTerms, {
    ...{ order, discount_basis_points: discount, commission_basis_points: commission },
  })
const close = (month: string) => performAs(operator, agent.tenant, closeMonth, { month })
const page = (invoice: string) => performAs(operator, agent.tenant, showInvoice, { invoice })
const credit = (invoice: string, what: string) =>
  performAs(operator, agent.tenant, creditInvoice, { invoice, what, reason: 'agreed' })
const OCTOBER = '2026-10-0001'

it('a correction gives back at the percentages of the invoice that billed the month, whatever the order has now', async () => {
  expect(await page(OCTOBER)).toMatchObject({ total: 831.25 })
  await terms(900, 1250)
  correctionMicros = 57_825_700
  now = new Date('2026-12-02T12:00:00.000Z')
  expect(await performAs(operator, agent.tenant, previewMonth, { month: '2026-11' })).toMatchObject({
    invoices: [{ total: -48.067614, adjustments: -48.067614 }],
  })
  await close('2026-11')
  const [line] = (await page('2026-11-0001')).lines
  expect(line).toMatchObject({ kind: 'adjustment', gross: -57.8257, amount: -48.067614 })
})

it('no more can be credited than what its invoices ask for', async () => {
  const most = { order, amount: '783.19', credit: true, reason: 'goodwill' }
  await expect(performAs(operator, agent.tenant, addCharge, most)).rejects.toThrow('at most 783.18 USD')
})

it('a credit note of corrections has the percentages of its invoice too', async () => {
  correctionMicros += 10_000_000
  const note = await credit(OCTOBER, 'corrections')
  expect(note).toMatchObject({ invoice_id: `${OCTOBER}-C1`, total: -8.3125 })
})

it('the reconciliation says what was billed and what the invoices ask for, note and correction included', async () => {
  const { account } = await page(OCTOBER)
  const asked = { account, month: '2026-10' }
  const { totals, entries } = await performAs(operator, agent.tenant, reconcileReports, asked)
  expect(totals).toMatchObject([{ billed: 932.1743, fees: 0, invoiced: 774.869886 }])
  expect(entries.map(({ record, amount, invoiced }) => [record, amount, invoiced])).toEqual([
    [OCTOBER, 1000, 831.25],
    [`${OCTOBER}-C1`, -10, -8.3125],
    ['2026-11-0001', -57.8257, -48.067614],
  ])
})

it('a correction after a credit note is of the invoice that billed the month, and not of the note', async () => {
  correctionMicros += 5_000_000
  await credit(OCTOBER, 'corrections')
  const { lines, reads } = await page(`${OCTOBER}-C2`)
  expect(lines).toMatchObject([{ gross: -5, of_invoice: OCTOBER }])
  expect(reads.rows[0]?.[0]).toContain(`For invoice ${OCTOBER}\n`)
})

it('what is billed anew, since its invoice was credited as a whole, takes the percentages of now', async () => {
  now = new Date('2026-12-03T12:00:00.000Z')
  const { data } = await agent.create({ start_time: '2026-12-04T00:00:00Z', end_time: '2026-12-14T00:00:00Z' })
  order = data.media_buy_id
  correctionMicros = 0
  await terms(500, 0)
  now = new Date('2027-01-02T12:00:00.000Z')
  await close('2026-12')
  const december = await page('2026-12-0001')
  const own = (lines: typeof december.lines) => lines.filter(({ media_buy_id: id }) => id === order)
  expect(own(december.lines)).toMatchObject([{ gross: 1000, amount: 950 }])
  await credit('2026-12-0001', 'all')
  await terms(900, 0)
  now = new Date('2027-02-02T12:00:00.000Z')
  await close('2027-01')
  expect(own((await page('2027-01-0001')).lines)).toMatchObject([{ kind: 'adjustment', gross: 1000, amount: 910 }])
  // A later correction is of the invoice that billed it anew.
  await terms(0, 0)
  correctionMicros = 100_000_000
  now = new Date('2027-03-02T12:00:00.000Z')
  await close('2027-02')
  expect(own((await page('2027-02-0001')).lines)).toMatchObject([{ kind: 'adjustment', gross: -100, amount: -91 }])
})
