import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { invoiceDocument } from '../../src/domain/billing/invoice-document.ts'
import { invoiceView } from '../../src/domain/billing/invoice-view.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { invoiceCsv } from '../../src/operator/billing/invoice-csv.ts'
import { invoiceUbl } from '../../src/operator/billing/invoice-ubl.ts'
import { previewLines } from '../../src/operator/billing/preview-lines.ts'
import { clearingText, reconcileReports } from '../../src/operator/billing/reconcile-reports.ts'
import { reconciliationCsv } from '../../src/operator/billing/reconciliation-csv.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { atOnce } from '../../src/platform/concurrency/steps.ts'
import { sampleInvoice, sampleLine } from '../support/invoice-samples.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
const INVOICE = '2026-03-0001'
const price = { pricing_model: 'cpm', currency: 'USD' } as const
const fixed = { ...price, pricing_option_id: 'fixed', fixed_price: 8 }
const auction = { ...price, pricing_option_id: 'auction', floor_price: 4, max_bid: true, price_guidance: { p50: 6.5 } }
/** Of two days, by product: impressions and micros. */
const DAYS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  // Two prices at which the auction cleared.
  cleared: [
    [3_001, 15_123_457],
    [2_000, 11_000_001],
  ],
  exact: [
    [3_000, 24_000_000],
    [2_000, 16_000_000],
  ],
  // Each day is cut to the micro.
  cut: [
    [1, 7_998],
    [1, 7_999],
  ],
  // The correction of a sum that was cut: a unit costs 3,333.333 micros.
  corrected: [[1, 3_334]],
}

beforeAll(async () => {
  const simulator = createSimulator()
  const productOf = new Map<string, string>()
  const adServer: AdServer = {
    ...simulator,
    reportDelivery: async (...asked) =>
      (await simulator.reportDelivery(...asked)).map((line) => ({
        ...line,
        days: (DAYS[productOf.get(line.packageId) ?? ''] ?? []).map(([impressions, spendMicros], index) => ({
          ...{ ...NOTHING, day: `2026-03-0${index + 3}`, impressions, spendMicros },
        })),
      })),
  }
  const products = [
    productDocument('cleared', { format_ids: [], pricing_options: [auction] }),
    ...['exact', 'cut'].map((id) => productDocument(id, { format_ids: [], pricing_options: [fixed] })),
    productDocument('corrected', { format_ids: [], pricing_options: [{ ...fixed, fixed_price: 3.333333 }] }),
  ]
  agent = await startMediaBuyAgent(products, { adServer })
  operator = operatorBeside(agent, agent.server.clock, adServer)
  const packages = [
    { product_id: 'cleared', pricing_option_id: 'auction', budget: 1000, bid_price: 9 },
    ...['exact', 'cut', 'corrected'].map((id) => ({ product_id: id, pricing_option_id: 'fixed', budget: 1000 })),
  ]
  const { data, isError } = await agent.create({ packages, start_time: '2026-03-02T00:00:00Z', end_time: '2026-03-12T00:00:00Z' })
  if (isError) throw new Error(JSON.stringify(data))
  for (const each of data.packages) productOf.set(each.package_id, each.product_id)
  agent.setClock('2026-04-02T12:00:00Z')
})
afterAll(() => agent.stop())

it('a line says whether its rate is agreed, an average of clearing prices, or of days that are cut; the preview does too', async () => {
  const { items } = await performAs(operator, agent.tenant, previewLines, { month: '2026-03' })
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  const page = await performAs(operator, agent.tenant, showInvoice, { invoice: INVOICE })
  const said = page.lines.map(({ product_id, quantity, rate, rate_basis, gross }) => [
    product_id,
    quantity,
    rate,
    rate_basis,
    gross,
  ])
  expect(said.sort()).toEqual([
    ['cleared', 5_001, 5.223647, 'clearing_average', 26.123458],
    ['corrected', 1, 3.333333, 'sum_of_days', 0.003334],
    ['cut', 2, 8, 'sum_of_days', 0.015997],
    ['exact', 5_000, 8, 'agreed', 40],
  ])
  expect(items.map(({ rate_basis }) => rate_basis)).toEqual(page.lines.map(({ rate_basis }) => rate_basis))
  const rows = page.reads.rows.map((row) => row.join(' | '))
  const ofProduct = (id: string) => rows[page.lines.findIndex(({ product_id }) => product_id === id)]
  expect(ofProduct('cleared')).toContain('(average of clearing prices)')
  expect(ofProduct('cleared')).toContain('Exact amount, the sum of its days: 26.123458 USD')
  expect(ofProduct('cut')).toContain('Exact amount, the sum of its days: 0.015997 USD')
  expect(ofProduct('exact')).not.toMatch(/Exact amount|average/)
  expect(atOnce(invoiceCsv(page))).toContain(',5001,5.223647,1000,clearing_average,26.123458,')
})

it('the reconciliation names the lines that an auction priced, with the exact amount', async () => {
  const { account } = await performAs(operator, agent.tenant, showInvoice, { invoice: INVOICE })
  const found = await performAs(operator, agent.tenant, reconcileReports, { account, month: '2026-03' })
  const billed = found.entries.filter(({ kind }) => kind === 'invoice')
  expect(billed.map(({ amount, rate_basis }) => [amount, rate_basis]).sort()).toEqual([
    [0.003334, 'sum_of_days'],
    [0.015997, 'sum_of_days'],
    [26.123458, 'clearing_average'],
    [40, 'agreed'],
  ])
  expect(clearingText(found)).toContain(`averages of its clearing prices on ${INVOICE};`)
  expect(reconciliationCsv(found)).toContain(',26.123458,26.123458,clearing_average,')
})

it('UBL has it as a note of the line, in the language of the invoice; a line from before says what it said', () => {
  const average = { rateBasis: 'clearing_average', quantity: 1_235, rateMicros: 9_996_500 } as const
  const line = sampleLine(12_345_678, average)
  const xml = atOnce(invoiceUbl(sampleInvoice({}, [line, sampleLine(10_000_000, { rateBasis: 'agreed' })])))
  const note = 'Preis: Durchschnitt der Zuschlagspreise. Genauer Betrag, die Summe der Tage: 12.345678 EUR'
  expect(xml.match(/<cbc:Note>[^<]*<\/cbc:Note>/g)?.slice(1)).toEqual([`<cbc:Note>${note}</cbc:Note>`])
  const { rateBasis: _new, ...before } = line
  const { lines: _lines, ...facts } = sampleInvoice()
  const old = invoiceDocument(facts, [{ ...before, isAverage: true }])
  expect(atOnce(invoiceView(old)).rows[0]?.join(' ')).toContain('(Durchschnitt)')
  expect(atOnce(invoiceView(old)).rows[0]?.join(' ')).not.toContain('Genauer Betrag')
  expect(atOnce(invoiceUbl(old)).match(/<cbc:Note>/g)).toHaveLength(1)
})
