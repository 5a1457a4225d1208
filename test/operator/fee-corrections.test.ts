import { afterAll, beforeAll, expect, it } from 'vitest'
import { importReport } from '../../src/ad-serving/reconcile/import-report.ts'
import { showCharges, takeChargeBack } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { changeDirectOrder, enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

const product = (id: string, fee: object) =>
  productDocument(id, {
    ...{ format_ids: [], delivery_type: 'guaranteed' },
    cancellation_policy: {
      notice_period: { interval: 7, unit: 'days' },
      cancellation_fee: { type: 'percent_remaining', ...fee },
    },
  })

beforeAll(async () => {
  const sold = [product('quarter', { rate: 0.25 }), product('all', { type: 'full_commitment' })]
  const fixed = product('fixed', { type: 'fixed_fee', amount: 90 })
  agent = await startMediaBuyAgent([...sold, fixed], { clock: () => now, flags: { 'adServer.type': 'embedded' } })
  operator = operatorBeside(agent, () => now)
  const seller = { legal_name: 'Tagblatt GmbH', country: 'DE', vat_id: 'DE123456789', payment_days: 30, language: 'de' }
  await performAs(operator, agent.tenant, setInvoicing, seller)
})
afterAll(() => agent?.stop())

/** What the ad server has counted of a day of a line, at a CPM of 8; then its order is imported, as it is before anybody reads it. */
async function count(order: string, line: string, day: string, impressions: number): Promise<void> {
  const { tenant: tenantId, server } = agent
  const row = { lineExternalId: line, period: day, impressions, spendMicros: impressions * 8_000 }
  const none = { clicks: 0, views: 0, completedViews: 0, viewableImpressions: 0, conversions: 0 }
  const counts = { ...none, conversionValueMicros: 0, milliPoints: 0 }
  await server.store.transaction((tx) => addDelivery(tx, { tenantId, adServer: 'embedded', now }, [{ ...row, ...counts }]))
  await readAgain(order)
}
async function readAgain(order: string): Promise<void> {
  const { backends } = agent.server.services.adServers
  const asked = { tenantId: agent.tenant, adServer: 'embedded', mediaBuyIds: [order], since: '2026-01-01', callMs: 60_000 }
  await importReport({ store: agent.server.store, clock: () => now, backends }, asked)
}
const charges = async (order: string) => (await performAs(operator, agent.tenant, showCharges, { order })).items
const amounts = async (order: string) => (await charges(order)).map(({ amount }) => amount)
const takeBack = (charge: string) => performAs(operator, agent.tenant, takeChargeBack, { charge, reason: 'waived' })

async function enter(order_id: string, product_id: string): Promise<void> {
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-05-01T00:00:00Z' }
  const lines = [{ line_id: 'one', product_id, ...flight, impressions: 1_000_000, cpm: 8, creatives }]
  const order = { order_id, name: order_id, advertiser: order_id, currency: 'USD', lines }
  await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
}

it('what is counted after a cancellation is delivered and no longer part of the fee, as a charge beside it', async () => {
  await enter('quarter', 'quarter')
  await enter('all', 'all')
  await enter('fixed', 'fixed')
  now = new Date('2026-03-10T00:00:00.000Z')
  for (const order of ['quarter', 'all', 'fixed']) {
    await changeDirectOrder(operator, agent.tenant, order, 'canceled')
    await count(`direct:${order}`, `direct:${order}/one`, '2026-03-09', 12_500)
    await readAgain(`direct:${order}`)
  }
  const rule = 'since the notice of 7 days began'
  expect(await charges('quarter')).toMatchObject([
    { charge_id: 'fee_direct:quarter/one', amount: 2000 },
    {
      ...{ charge_id: 'fee_direct:quarter/one~1', kind: 'cancellation', line_id: 'one', amount: -25, state: 'open' },
      reason: `cancellation: 25 % of a budget of 8,000.00 USD less 100.00 USD spent; ${rule}; charged until now: 2,000.00 USD`,
    },
  ])
  // With what was delivered, 100 USD, that is the whole commitment.
  expect(await amounts('all')).toEqual([8000, -100])
  expect(await amounts('fixed')).toEqual([90])
})

it('what is counted less, such as invalid traffic, is part of it again; less than the smallest amount is left', async () => {
  await count('direct:quarter', 'direct:quarter/one', '2026-03-09', 10_000)
  expect(await amounts('quarter')).toEqual([2000, -25, 5])
  await count('direct:quarter', 'direct:quarter/one', '2026-03-09', 10_002)
  expect(await amounts('quarter')).toEqual([2000, -25, 5])
})

it('a correction stands on the invoice of the fee; one of a fee that is invoiced on the next', async () => {
  now = new Date('2026-04-02T00:00:00.000Z')
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  await count('direct:all', 'direct:all/one', '2026-03-09', 13_000)
  const [march, , april] = await charges('all')
  const shown = await performAs(operator, agent.tenant, showInvoice, { invoice: march?.invoice_id ?? '' })
  expect(shown.total).toBe(8000)
  expect(shown.lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['delivery', 100],
    ['charge', 8000],
    ['credit', -100],
  ])
  expect(shown.lines[2]?.reason).toContain('bisher berechnet: 8.000,00 USD')
  expect(april).toMatchObject({ amount: -4, state: 'open', incurred_at: '2026-04-02T00:00:00.000Z' })
  await expect(takeBack('fee_direct:all/one~2')).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'charge' })
})

it('a buyer reads the corrected fee in its order and its history; a fee that is waived takes its corrections along, and is not corrected again', async () => {
  const packages = [{ product_id: 'all', pricing_option_id: 'cpm', budget: 1000 }]
  const { data } = await agent.create({ start_time: '2026-04-03T00:00:00Z', end_time: '2026-04-30T00:00:00Z', packages })
  const {
    media_buy_id: order,
    packages: [{ package_id: line }],
  } = data
  now = new Date('2026-04-10T00:00:00.000Z')
  await agent.run('update_media_buy', { media_buy_id: order, canceled: true })
  await count(order, line, '2026-04-09', 1_000)
  expect(await amounts(order)).toEqual([1000, -8])
  const asked = { media_buy_ids: [order], include_history: 1 }
  const owed = async () => (await agent.buyer.call('get_media_buys', asked)).data.media_buys[0]
  const { ext, history } = await owed()
  expect(ext.terms).toMatchObject([{ cancellation_owed: 992 }])
  expect(history).toMatchObject([{ summary: 'Fee of the cancellation is 992 USD, since 8 USD were delivered' }])
  await takeBack(`fee_${line}`)
  await count(order, line, '2026-04-09', 2_000)
  expect((await charges(order)).map(({ state, amount }) => [state, amount])).toEqual([
    ['taken_back', 1000],
    ['taken_back', -8],
  ])
  expect((await owed()).ext.terms).toMatchObject([{ cancellation_owed: 0 }])
})
