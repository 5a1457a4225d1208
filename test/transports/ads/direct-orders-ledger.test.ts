import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importOrders } from '../../../src/ad-serving/reconcile/import-orders.ts'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { previewMonth } from '../../../src/operator/billing/preview-month.ts'
import { showInvoice } from '../../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { listOrders } from '../../../src/operator/order-list/list-orders.ts'
import { setOrderTerms, showOrderTerms } from '../../../src/operator/order-terms/order-terms.ts'
import { noteOrder } from '../../../src/operator/orders/note-order.ts'
import { deliveryReport } from '../../../src/operator/reports/delivery-report.ts'
import { rebuildDelivery } from '../../../src/operator/reports/rebuild-delivery.ts'
import { showRevenue } from '../../../src/operator/reports/revenue.ts'
import { appendEmbeddedEvents, decisionIdPrefix } from '../../../src/store/embedded/events.ts'
import { inspectStore } from '../../../src/store/inspect/inspect.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { signedIn } from '../../support/console-client.ts'
import { enterDirectOrder, showDirectOrder } from '../../support/direct-orders.ts'
import { listAuditEntries, performAs } from '../../support/operator.ts'
import { DEMO_ACCOUNT } from '../../support/start-agent.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
})
afterAll(() => publisher?.stop())

const line = (more: object) => ({
  line_id: 'line',
  product_id: 'news_homepage_display',
  starts_at: '2026-03-02T00:00:00Z',
  ends_at: '2026-04-02T00:00:00Z',
  impressions: 100_000,
  cpm: 12.345678,
  creatives: [{ creative_id: 'a', width: 970, height: 250, image: { url: 'https://cdn.example/a.png' } }],
  ...more,
})
const enter = (order_id: string, ...lines: readonly object[]) => {
  const order = { order_id, name: order_id, advertiser: 'Nordic Coffee', currency: 'SEK', lines }
  return enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(order) })
}
const act = performAs
const sold = async (by: readonly string[]) => {
  const { rows } = await act(operator, publisher.tenant, deliveryReport, { by, first: '2026-03-01', last: '2026-04-30' })
  return rows
    .filter(({ currency }) => currency === 'SEK')
    .map(({ dimensions, impressions, spent }) => [...by.map((name) => dimensions[name]), impressions, spent])
}

/** Impressions that a process which only serves ads counted. */
async function count(order: string, impressions: number, happenedAt: string): Promise<void> {
  const { store } = publisher.server
  const { line_id: lineId, document } = await store.read
    .selectFrom('embedded_lines')
    .select(['line_id', 'document'])
    .where('anchor', '=', `direct:${order}/line`)
    .executeTakeFirstOrThrow()
  const rateMicros: number = JSON.parse(document).terms.rateMicros
  const events = Array.from({ length: impressions }, (_, index) => {
    const decisionId = `${decisionIdPrefix(new Date(happenedAt))}${order}${index}`
    const ad = { tenantId: publisher.tenant, lineId, creativeId: 'hc_1', place: 'home', rateMicros }
    return { ...ad, decisionId, eventId: `${decisionId}.impression`, kind: 'impression', isBot: false, happenedAt }
  })
  await store.transaction((tx) => appendEmbeddedEvents(tx, events))
}

it('what a direct order delivers is in reports, revenue and the invoice of its advertiser, to the micro', async () => {
  await enter('spring', line({}))
  await enter('own-ads', line({ priority: 'house', cpm: 0 }))
  publisher.setClock('2026-03-20T12:00:00Z')
  await count('spring', 1_001, '2026-03-20T11:30:00.000Z')
  await count('own-ads', 7, '2026-03-20T11:30:00.000Z')
  // 1,001 × 12.345678 / 1000, rounded down to the micro.
  const spent = 12.358023
  expect(await sold(['order'])).toEqual([
    ['spring', 1_001, spent],
    ['own-ads', 7, 0],
  ])
  expect(await sold(['day', 'product'])).toEqual([['2026-03-20', 'news_homepage_display', 1_008, spent]])
  expect((await showDirectOrder(operator, publisher.tenant, 'spring')).lines[0]?.charged).toBe(spent)
  const revenue = await act(operator, publisher.tenant, showRevenue, { first: '2026-03-01', last: '2026-03-31' })
  expect(revenue.advertisers).toContainEqual({ id: 'Nordic Coffee', currency: 'SEK', revenue: spent })
  const before = await sold(['order', 'day', 'buyer'])
  await act(operator, publisher.tenant, rebuildDelivery, {})
  expect(await sold(['order', 'day', 'buyer'])).toEqual(before)

  publisher.setClock('2026-04-03T12:00:00Z')
  const preview = await act(operator, publisher.tenant, previewMonth, { month: '2026-03' })
  const invoice = { account: 'direct:Nordic Coffee', currency: 'SEK', total: spent }
  expect(preview.invoices).toEqual([expect.objectContaining({ ...invoice, account_name: 'Nordic Coffee', lines: 1 })])
  const closed = await act(operator, publisher.tenant, closeMonth, { month: '2026-03' })
  expect(closed.invoices).toEqual([expect.objectContaining(invoice)])
  expect((await inspectStore(publisher.server.store.read)).problems).toEqual([])
})

it('the terms of an order are on its invoice: who pays, purchase order, discount and commission; the change is in the audit log', async () => {
  const { tenant } = publisher
  publisher.setClock('2026-04-10T12:00:00Z')
  await enter('agency', line({ ends_at: '2026-05-01T00:00:00Z', cpm: 10 }))
  await count('agency', 1_000, '2026-04-10T10:00:00.000Z')
  const terms = {
    ...{ order: 'agency', billed_to: 'agency', agency_name: 'Media Nord AB', agency_country: 'SE', agency_city: 'Umeå' },
    ...{ agency_vat_id: 'se 556677-889901', agency_email: 'ap@media.example', agency_contact: 'Bo', purchase_order: 'PO-7' },
    ...{
      sales_person: 'Eva',
      labels: ['spring', 'spring', ' key '],
      discount_basis_points: 1_000,
      commission_basis_points: 1_500,
    },
  }
  const set = await act(operator, tenant, setOrderTerms, terms)
  expect(set).toMatchObject({
    ...{ billing_party: 'agency:Media Nord AB', purchase_order: 'PO-7', sales_person: 'Eva', labels: ['spring', 'key'] },
    agency: { name: 'Media Nord AB', city: 'Umeå', vat_id: 'SE556677889901', contact: 'Bo' },
  })
  expect(await act(operator, tenant, showOrderTerms, { order: 'agency' })).toEqual(set)
  await publisher.server.audit.settled()
  const [entry] = await listAuditEntries(operator, tenant, { task: 'orders.set-terms', limit: 1 })
  expect(JSON.stringify(entry)).toContain('agency:Media Nord AB')
  expect(JSON.stringify(entry)).not.toContain('ap@media.example')

  expect(await sold(['account'])).toContainEqual(['agency:Media Nord AB', 1_000, 10])
  publisher.setClock('2026-05-03T12:00:00Z')
  const { invoices } = await act(operator, tenant, closeMonth, { month: '2026-04' })
  const own = invoices.find(({ account }) => account === 'agency:Media Nord AB')
  // 10.00 less 10 %, less 15 % of the rest.
  expect(own).toMatchObject({ currency: 'SEK', total: 7.65 })
  const shown = await act(operator, tenant, showInvoice, { invoice: own?.invoice_id })
  expect(shown.payer).toMatchObject({ name: 'Media Nord AB', vat_id: 'SE556677889901', email: 'ap@media.example' })
  expect(shown.lines).toEqual([
    expect.objectContaining({
      ...{ po_number: 'PO-7', order_name: 'Nordic Coffee: agency', unit: 'impressions', quantity: 1_000, rate: 10 },
      ...{ gross: 10, discount: 1, commission: 1.35, amount: 7.65 },
    }),
  ])
  expect((await inspectStore(publisher.server.store.read)).problems).toEqual([])
})

it('colleagues note something on a direct order, and its page has notes and terms; the address of orders opens it', async () => {
  await act(operator, publisher.tenant, noteOrder, { order: 'agency', note: 'call Bo' })
  const ada = await signedIn(publisher, 'ada', 'administrator', publisher.tenant)
  const base = `/console/t/${publisher.tenant}`
  const opened = await ada.get(`${base}/orders/agency`)
  expect([opened.status, opened.location]).toEqual([303, `${base}/direct-orders/agency`])
  const { text } = await ada.get(`${base}/direct-orders/agency`)
  for (const shown of ['call Bo', 'Media Nord AB', 'PO-7', '10 %']) expect(text).toContain(shown)
  const save = (values: Record<string, string>) => ada.fillIn(`${base}/orders/agency/terms`, 'agency/terms', values)
  const refused = await save({ billed_to: 'agency', agency_name: '', discount: '2,555' })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Discount must be per cent from 0 to 100')])
  const unknown = await save({ billed_to: 'agency', agency_name: '', agency_vat_id: 'SE12' })
  expect(unknown.text).toContain('Agency: Legal name is known')
  const wrong = await save({ agency_vat_id: '12' })
  expect(wrong.text).toContain('Agency: VAT number must be a country and a number')
  const members = ['name', 'country', 'city', 'vat_id', 'email', 'contact'].map((member) => [`agency_${member}`, ''])
  const none = { ...Object.fromEntries(members), discount: '' }
  expect((await save({ ...none, billed_to: 'advertiser', commission: '2,5' })).status).toBe(303)
  expect(await act(operator, publisher.tenant, showOrderTerms, { order: 'agency' })).toMatchObject({
    ...{ billing_party: 'direct:Nordic Coffee', agency: null, commission_basis_points: 250, discount_basis_points: 0 },
  })
  expect((await inspectStore(publisher.server.store.read)).problems).toEqual([])
})

it('one list has orders of every origin, in one order, by pages, with filters', async () => {
  const packages = [{ product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 5_000 }]
  const flight = { start_time: '2026-06-01T00:00:00Z', end_time: '2026-06-20T00:00:00Z' }
  const order = { account: DEMO_ACCOUNT, brand: DEMO_ACCOUNT.brand, ...flight, packages }
  for (const at of ['2026-05-04T12:00:00Z', '2026-05-04T13:00:00Z']) {
    publisher.setClock(at)
    await publisher.buyer.call('create_media_buy', { idempotency_key: randomUUID(), ...order })
    await enter(
      `between-${at.slice(11, 13)}`,
      line({ ends_at: '2026-06-30T00:00:00Z', ...(at.includes('13') && { priority: 'standard', impressions: undefined }) }),
    )
  }
  const list = (query: Readonly<Record<string, unknown>> = {}) => act(operator, publisher.tenant, listOrders, query)
  const all = await list()
  expect(all.next_cursor).toBeNull()
  expect(all.items.map(({ origin }) => origin).slice(0, 4)).toEqual(['buyer', 'entered', 'buyer', 'entered'])
  for (const sort of ['created', 'end', 'budget'] as const)
    for (const ascending of [true, false]) {
      const whole = (await list({ sort, ascending })).items
      const paged = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({
          sort,
          ascending,
          limit: 1,
          ...(cursor !== null && { cursor }),
        })
        expect(page.items.length).toBeLessThanOrEqual(1)
        paged.push(...page.items)
        cursor = page.next_cursor
      } while (cursor !== null)
      expect(paged).toEqual(whole)
      expect(whole.length).toBe(all.items.length)
      const values = whole.map((each) =>
        sort === 'created' ? each.created_at : sort === 'end' ? each.ends_at : (each.budget ?? Number.POSITIVE_INFINITY),
      )
      const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      expect(values).toEqual(ascending ? sorted : sorted.toReversed())
    }
  const ids = async (query: Readonly<Record<string, unknown>>) =>
    (await list(query)).items.map(({ media_buy_id: id }) => id).toSorted()
  const entered = all.items.filter(({ origin }) => origin === 'entered').map(({ media_buy_id: id }) => id)
  expect(await ids({ origin: ['entered'] })).toEqual(entered.toSorted())
  expect((await list({ origin: ['buyer'] })).items.every(({ origin, buyer }) => origin === 'buyer' && buyer !== null)).toBe(true)
  expect(await ids({ search: 'SPRING coffee' })).toEqual(['spring'])
  expect(await ids({ advertiser: 'Nordic Coffee', status: ['completed'] })).toEqual(
    ['agency', 'autumn', 'own-ads', 'spring'].filter((id) => entered.includes(id)),
  )
  expect(await ids({ origin: ['entered'], first: '2026-06-30' })).toEqual([])
  expect(await ids({ origin: ['entered'], first: '2026-06-29', last: '2026-07-10' })).toEqual(['between-12', 'between-13'])
  expect(await ids({ account: 'direct:Nordic Coffee', last: '2026-03-31', status: ['completed'], search: 'spring' })).toEqual([
    'spring',
  ])
  const [spring] = (await list({ search: 'spring' })).items
  expect(spring).toMatchObject({ impressions: 1_001, spent: 12.358023, buyer: null, status: 'completed', currency: 'SEK' })
  expect((await list({ search: 'between-13' })).items[0]).toMatchObject({ budget: null })
  const ada = await signedIn(publisher, 'eva', 'viewer', publisher.tenant)
  const { text } = await ada.get(`/console/t/${publisher.tenant}/orders?origin=entered&advertiser=Nordic+Coffee`)
  expect(text).toContain(`/console/t/${publisher.tenant}/direct-orders/spring`)
})

it('terms that cannot be are refused with the member, and nothing is stored', async () => {
  const refused = async (terms: object, field: string) =>
    expect(act(operator, publisher.tenant, setOrderTerms, { order: 'spring', ...terms })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field,
    })
  await refused({ billed_to: 'agency' }, 'agency_name')
  await refused({ agency_city: 'Umeå' }, 'agency_name')
  await refused({ advertiser_name: 'N', advertiser_city: 'Umeå' }, 'advertiser_country')
  await refused({ advertiser_name: 'N', advertiser_country: 'Sweden' }, 'advertiser_country')
  await refused({ discount_basis_points: 10_001 }, 'discount_basis_points')
  await expect(act(operator, publisher.tenant, setOrderTerms, { order: 'none' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
  expect(await act(operator, publisher.tenant, showOrderTerms, { order: 'spring' })).toMatchObject({
    ...{ advertiser: null, agency: null, discount_basis_points: 0 },
  })
})

it('is imported in the background too, also long after its flight, once', async () => {
  const { store, clock, log, services } = publisher.server
  await enter('autumn', line({}))
  await count('autumn', 100, '2026-03-21T10:00:00.000Z')
  publisher.setClock('2026-05-20T12:00:00Z')
  const parts = { store, clock, log, backends: services.adServers.backends }
  const timing = { reportMs: 1_000, retryMs: 1_000, callMs: 20_000 }
  await importOrders(parts, timing)
  const ledger = await store.read
    .selectFrom('delivery_ledger')
    .selectAll()
    .where('package_id', '=', 'direct:autumn/line')
    .execute()
  expect(ledger.map(({ impressions, spend_micros }) => [impressions, spend_micros])).toEqual([[100, 1_234_567]])
  const { report_at } = await store.read
    .selectFrom('orders')
    .select('report_at')
    .where('order_id', '=', 'autumn')
    .executeTakeFirstOrThrow()
  expect(report_at > '9').toBe(true)
})

it('a direct order takes no id of a buyer’s order', async () => {
  const packages = [{ product_id: 'news_homepage_display', pricing_option_id: 'cpm_usd_fixed', budget: 5_000 }]
  const flight = { start_time: '2026-06-01T00:00:00Z', end_time: '2026-06-20T00:00:00Z' }
  const order = { idempotency_key: randomUUID(), account: DEMO_ACCOUNT, brand: DEMO_ACCOUNT.brand, ...flight, packages }
  const { data } = await publisher.buyer.call('create_media_buy', order)
  const taken = enter(data.media_buy_id, line({}))
  await expect(taken).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'order_id' })
})
