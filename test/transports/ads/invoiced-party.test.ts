import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../../src/operator/billing/credit-invoice.ts'
import { listAdjustments } from '../../../src/operator/billing/pending-adjustments.ts'
import { previewMonth } from '../../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../../src/operator/order-terms/order-terms.ts'
import { appendEmbeddedEvents, decisionIdPrefix } from '../../../src/store/embedded/events.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { enterDirectOrder } from '../../support/direct-orders.ts'
import { performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
  await enter('Nordic Coffee')
  publisher.setClock('2026-03-20T12:00:00Z')
  await count(1_000, '2026-03-20T11:30:00.000Z')
  publisher.setClock('2026-04-02T12:00:00Z')
  await performAs(operator, publisher.tenant, closeMonth, { month: '2026-03' })
})
afterAll(() => publisher?.stop())

const enter = (advertiser: string) => {
  const line = {
    ...{ line_id: 'line', product_id: 'news_homepage_display', priority: 'standard', cpm: 10 },
    ...{ starts_at: '2026-03-05T00:00:00Z', ends_at: '2026-06-20T00:00:00Z' },
    creatives: [{ creative_id: 'a', width: 970, height: 250, image: { url: 'https://cdn.example/a.png' } }],
  }
  const order = { order_id: 'spring', name: 'Spring', advertiser, currency: 'SEK', lines: [line] }
  return enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(order) })
}
async function count(events: number, happenedAt: string): Promise<void> {
  const { store } = publisher.server
  const { line_id: lineId } = await store.read.selectFrom('embedded_lines').select('line_id').executeTakeFirstOrThrow()
  const ad = { tenantId: publisher.tenant, lineId, creativeId: 'hc_1', place: 'home', rateMicros: 10_000_000, happenedAt }
  const counted = Array.from({ length: events }, (_, index) => {
    const decisionId = `${decisionIdPrefix(new Date(happenedAt))}spring${index}`
    return { ...ad, decisionId, eventId: `${decisionId}.impression`, kind: 'impression', isBot: false }
  })
  await store.transaction((tx) => appendEmbeddedEvents(tx, counted))
}
const pending = async () =>
  (await performAs(operator, publisher.tenant, listAdjustments, {})).items.map(({ account, service_month, amount }) => [
    ...[account, service_month, amount],
  ])
const terms = (values: object) => performAs(operator, publisher.tenant, setOrderTerms, { order: 'spring', ...values })

it('a correction goes to who was invoiced, whoever the order is for and whoever pays for it now', async () => {
  await publisher.server.store.transaction((tx) => tx.updateTable('embedded_hours').set({ events: 400 }).execute())
  await enter('Annan AB')
  publisher.setClock('2026-04-02T18:00:00Z')
  expect(await pending()).toEqual([['direct:Nordic Coffee', '2026-03', -6]])
  await terms({ advertiser_name: 'Annan AB', advertiser_country: 'SE', advertiser_city: 'Umeå', purchase_order: 'PO-9' })
  expect(await pending()).toEqual([['direct:Nordic Coffee', '2026-03', -6]])
  expect(await terms({ agency_name: 'Media Nord AB', billed_to: 'agency' })).toMatchObject({
    billing_party: 'agency:Media Nord AB',
  })
  expect(await pending()).toEqual([['direct:Nordic Coffee', '2026-03', -6]])
})

it('its invoice names that party and nothing of the other; what is delivered since is billed to who pays now', async () => {
  await count(2_000, '2026-04-10T11:30:00.000Z')
  publisher.setClock('2026-05-03T12:00:00Z')
  const { invoices } = await performAs(operator, publisher.tenant, previewMonth, { month: '2026-04' })
  expect(invoices.map(({ account, account_name, total }) => [account, account_name, total])).toEqual([
    ['agency:Media Nord AB', 'Media Nord AB', 20],
    ['direct:Nordic Coffee', 'Nordic Coffee', -6],
  ])
})

it('a credit note of its invoice gives the correction back', async () => {
  const credit = { invoice: '2026-03-0001', what: 'corrections', reason: 'counted too much' }
  const note = await performAs(operator, publisher.tenant, creditInvoice, credit)
  const shown = await performAs(operator, publisher.tenant, showInvoice, { invoice: note.invoice_id })
  expect(shown).toMatchObject({
    account: 'direct:Nordic Coffee',
    payer: { name: 'Nordic Coffee' },
    // As its invoice names it.
    lines: [{ order_name: 'Nordic Coffee: Spring' }],
  })
  expect(JSON.stringify(shown)).not.toMatch(/Annan|Media Nord|PO-9/)
  expect(await pending()).toEqual([])
})
