import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importOrders } from '../../src/ad-serving/reconcile/import-orders.ts'
import { listExistingLines } from '../../src/operator/ad-servers/inventory-acts.ts'
import { importReports } from '../../src/operator/ad-servers/sync-orders.ts'
import { adoptOrder, previewAdoption, showAdoptedOrder } from '../../src/operator/adopted-orders/adopt-order.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { listShortfalls } from '../../src/operator/make-goods/list-shortfalls.ts'
import { offerCredit, offerDelivery } from '../../src/operator/make-goods/offer-make-good.ts'
import { findUnderdelivery } from '../../src/operator/notifications/find-underdelivery.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listOrders } from '../../src/operator/order-list/list-orders.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { addPublisher } from '../../src/operator/tenants/add-tenant.ts'
import { removePublisher } from '../../src/operator/tenants/remove-tenant.ts'
import { signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { acting, listAuditEntries, operatorBeside, performAs, setTenant } from '../support/operator.ts'
import { countsThere, lineThere, type OrdersThere, ordersThere } from '../support/orders-there.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let there: OrdersThere
let now = new Date('2026-03-05T12:00:00.000Z')
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** A line without an end. */
function endless(id: string) {
  const { endsAt: _, ...line } = lineThere(id)
  return line
}

/** One line by impressions, one by clicks without a promise, one by the day. */
const LINES = [
  lineThere('1', { startsAt: '2026-02-28T00:00:00.000Z' }),
  lineThere('2', { costType: 'CPC', rateMicros: 13_333_000, isGuaranteed: false, goal: { unit: 'CLICKS', units: 100 } }),
  lineThere('3', {
    costType: 'CPD',
    rateMicros: 1_234_567_000,
    endsAt: '2026-03-08T00:00:00.000Z',
    goal: { unit: 'IMPRESSIONS', units: 900 },
  }),
  endless('4'),
  lineThere('5', { costType: 'CPA' }),
  lineThere('6', { currency: 'EUR' }),
]

beforeAll(async () => {
  there = ordersThere()
  there.orders.set('77', { id: '77', name: 'Spring at Volta', advertiser: 'Volta AB', lines: LINES })
  there.orders.set('78', {
    id: '78',
    name: 'Ours',
    advertiser: 'Brand',
    lines: [lineThere('8', { orderId: '78', isOurs: true })],
  })
  there.orders.set('79', { id: '79', name: 'No end', advertiser: '', lines: [endless('4')] })
  there.orders.set('80', { id: '80', name: 'Nameless', advertiser: '', lines: [lineThere('80', { orderId: '80' })] })
  there.counts.push(
    countsThere('1', '2026-02-28', 11),
    countsThere('1', '2026-03-02', 1_234),
    countsThere('1', '2026-03-03', 766),
  )
  there.counts.push(
    countsThere('2', '2026-03-03', 500, 7),
    countsThere('3', '2026-03-02', 300),
    countsThere('4', '2026-03-02', 5),
  )
  const server = createMemoryAdServer(there.calls)
  agent = await startMediaBuyAgent([productDocument('news')], {
    clock: () => now,
    backend: { backend: server.backend, drift: 'leave' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const beside = operatorBeside(agent, () => now)
  operator = { ...beside, services: { ...beside.services, adServers: async () => agent.server.services.adServers } }
})
afterAll(() => agent?.stop())

const ask = <T extends object>(more: T) => ({ name: 'memory', there: '77', ...more })
const adopt = (more: object = {}) => performAs(operator, agent.tenant, adoptOrder, ask(more))
const refused = (more: object) => expect(adopt(more)).rejects
/** Whole micros of an amount. */
const micros = (amount: number) => Math.round(amount * 1e6)

describe('an order that people booked in an ad server', () => {
  it('is refused by name when it is unknown, ours, has no line that can be adopted, or names nobody who pays', async () => {
    await refused({ there: '99' }).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'there' })
    await refused({ there: '78' }).toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('booked by this program'),
    })
    await refused({ there: '79' }).toMatchObject({ code: 'INVALID_STATE', message: expect.stringContaining('4: it has no end') })
    await refused({ there: '80' }).toMatchObject({ code: 'INVALID_REQUEST', field: 'billed_party' })
    await refused({ order_id: 'a b' }).toMatchObject({ code: 'INVALID_REQUEST', field: 'order_id' })
  })

  it('is shown before it is adopted, and nothing is stored', async () => {
    const preview = await performAs(operator, agent.tenant, previewAdoption, ask({}))
    expect(preview).toMatchObject({ is_new: true, order: { order_id: 'memory-77', charged: 0, billed_from: '2026-03' } })
    expect(preview.left_out.map(({ line_id: id }) => id)).toEqual(['4', '5', '6'])
    expect(preview.order.lines.map(({ line_id: id, rate, day_rate: day }) => [id, rate, day])).toEqual([
      ['1', 87.37, null],
      ['2', 13.333, null],
      ['3', 8641.969, 1234.567],
    ])
    await expect(performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-77' })).rejects.toMatchObject({
      code: 'REFERENCE_NOT_FOUND',
    })
  })

  it('is in the book from then on: its delivery, its price to the micro, the list, revenue by advertiser', async () => {
    const { order, is_new: isNew, delivery } = await adopt()
    expect([isNew, delivery]).toEqual([true, { rows: 5, reason: null }])
    // Rounded down day by day: 87.37 a thousand, 13.333 a click, and one day of seven where anything was shown.
    const [cpm, cpc, day] = order.lines.map(({ charged }) => micros(charged))
    const perThousand = (count: number) => Math.floor((count * 87_370_000) / 1000)
    expect(cpm).toBe(perThousand(11) + perThousand(1_234) + perThousand(766))
    expect(cpc).toBe(7 * 13_333_000)
    expect(day).toBe(1_234_567_000)
    const { items } = await performAs(operator, agent.tenant, listOrders, { origin: ['adopted'] })
    expect(items).toMatchObject([
      { origin: 'adopted', media_buy_id: 'memory-77', status: 'active', advertiser: 'Volta AB', currency: 'SEK' },
    ])
    expect(micros(items[0]?.spent ?? 0)).toBe((cpm ?? 0) + (cpc ?? 0) + (day ?? 0))
    expect((await performAs(operator, agent.tenant, listOrders, { origin: ['entered'] })).items).toEqual([])
    expect((await performAs(operator, agent.tenant, listOrders, { search: 'volta' })).items).toHaveLength(1)
    const lines = await performAs(operator, agent.tenant, listExistingLines, { name: 'memory' })
    expect(lines.items.filter(({ adopted_as: id }) => id === 'memory-77')).toHaveLength(LINES.length + 1)
  })

  it('keeps its publisher from being removed while it runs', async () => {
    await performAs(operator, agent.tenant, addPublisher, { publisher: 'default', name: 'Default', domain: 'default.example' })
    await setTenant(operator, 'default', { isPublicDefault: true })
    await expect(performAs(operator, '', removePublisher, { publisher: agent.tenant })).rejects.toThrow(
      'run, or will: memory-77;',
    )
    await setTenant(operator, agent.tenant, { isPublicDefault: true })
    await performAs(operator, '', removePublisher, { publisher: 'default' })
  })

  it('is read again: flights, names and lines follow, what is charged does not, and it is one order', async () => {
    const [first = lineThere('1'), ...others] = LINES
    const moved = { ...first, rateMicros: 90_000_000, endsAt: '2026-03-20T00:00:00.000Z', name: 'Renamed' }
    there.orders.set('77', {
      id: '77',
      name: 'Spring at Volta',
      advertiser: 'Volta AB',
      lines: [moved, ...others, lineThere('7', { name: 'New' })],
    })
    const again = await adopt()
    expect(again.is_new).toBe(false)
    expect(again.price_there).toEqual([{ line_id: '1', adopted: '87.37 SEK cpm', there: '90.00 SEK cpm' }])
    expect(again.order.lines.map(({ name, rate, ends_at: end }) => [name, rate, end.slice(0, 10)])[0]).toEqual([
      'Renamed',
      87.37,
      '2026-03-20',
    ])
    expect(again.order.lines).toHaveLength(4)
    expect(again.order.adoptions).toHaveLength(2)
    await refused({ billed_party: 'Another' }).toMatchObject({ code: 'INVALID_REQUEST', field: 'billed_party' })
    await agent.server.audit.settled()
    const entries = await listAuditEntries(operator, agent.tenant, { limit: 10 })
    expect(JSON.stringify(entries)).toContain('Renamed')
  })

  it('has corrections imported on its schedule and by hand', async () => {
    there.counts[1] = countsThere('1', '2026-03-02', 1_200)
    now = new Date('2026-03-06T12:00:00.000Z')
    const { backends } = agent.server.services.adServers
    await importOrders(
      { store: agent.server.store, clock: () => now, backends, log: SILENT },
      { reportMs: 3_600_000, retryMs: 60_000, callMs: 10_000 },
    )
    const order = await performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-77' })
    expect(order.lines[0]?.impressions).toBe(11 + 1_200 + 766)
    there.counts[2] = countsThere('1', '2026-03-03', 700)
    const asked = { tenantId: agent.tenant, mediaBuyId: 'memory-77', since: '2026-03-01' }
    expect(await importReports(acting(operator, agent.tenant), asked)).toEqual([
      { ad_server: 'memory', orders: 1, rows: 1, reason: null },
    ])
    there.down = new Error('closed for today')
    expect(await importReports(acting(operator, agent.tenant), asked)).toMatchObject([
      { reason: expect.stringContaining('closed for today') },
    ])
    expect((await adopt()).delivery).toMatchObject({ rows: 0, reason: expect.stringContaining('closed for today') })
    there.down = undefined
    there.counts.push(countsThere('3', '2026-03-04T10', 5))
    expect(await importReports(acting(operator, agent.tenant), asked)).toMatchObject([
      { rows: 0, reason: expect.stringContaining('line 3, which has a price by the day, by the hour') },
    ])
    there.counts.pop()
  })

  it('is a finding while it is behind and when it ended short, credited once and never beyond what was charged', async () => {
    now = new Date('2026-03-15T12:00:00.000Z')
    const behind = await findUnderdelivery(operator, agent.tenant)
    expect(behind.map(({ key }) => key)).toContain('adopted memory-77 1')
    expect(behind.map(({ key }) => key)).toContain('ended memory-77 3')
    const short = (await performAs(operator, agent.tenant, listShortfalls, {})).items
    expect(short).toMatchObject([{ origin: 'adopted', order_id: 'memory-77', line_id: '3', ordered: 900, delivered: 300 }])
    // One of seven days was charged, on which more than a seventh of the goal was shown.
    expect(short[0]?.proposed).toEqual([])
    const credit = { order: 'memory-77', line: '3', reason: 'two thirds were missing' }
    await expect(performAs(operator, agent.tenant, offerDelivery, credit)).rejects.toMatchObject({
      code: 'INVALID_STATE',
      field: 'order',
    })
    await expect(performAs(operator, agent.tenant, offerCredit, { ...credit, amount: '9999999' })).rejects.toMatchObject({
      field: 'amount',
    })
    expect(await performAs(operator, agent.tenant, offerCredit, { ...credit, amount: '400' })).toMatchObject({
      state: 'accepted',
    })
    await expect(performAs(operator, agent.tenant, offerCredit, { ...credit, amount: '1' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    })
  })

  it('is on the invoice of its advertiser with its lines, from the month in which it was adopted', async () => {
    await performAs(operator, agent.tenant, setOrderTerms, { order: 'memory-77', purchase_order: 'PO-9' })
    now = new Date('2026-04-02T12:00:00.000Z')
    const shown = await performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-77' })
    const { invoices } = await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
    expect(invoices).toHaveLength(1)
    const invoice = await performAs(operator, agent.tenant, showInvoice, { invoice: invoices[0]?.invoice_id ?? '' })
    expect(invoice.lines.map(({ kind }) => kind).sort()).toEqual(['credit', 'delivery', 'delivery', 'delivery'])
    expect(invoice.lines.map((line) => line.package_id)).toContain('1')
    // February was billed where the order was sold.
    const february = Math.floor((11 * 87_370_000) / 1000)
    const billed = invoice.lines.filter(({ kind }) => kind === 'delivery').reduce((sum, { amount }) => sum + micros(amount), 0)
    expect(billed).toBe(micros(shown.charged) - february)
    expect(JSON.stringify(invoice)).toContain('Renamed')
    expect(JSON.stringify(invoice)).not.toContain('adopted:')
    await refused({ there: '80', billed_party: 'Late AB', billed_from: '2026-03' }).toMatchObject({ field: 'billed_from' })
    const late = await adopt({ there: '80', billed_party: 'Late AB', order_id: 'late' })
    expect(late.order).toMatchObject({ order_id: 'late', billed_from: '2026-04', advertiser: 'Late AB' })
  })
})

it('belongs to its publisher alone, and another publisher may adopt the order of the same id', async () => {
  await performAs(operator, agent.tenant, addPublisher, { publisher: 'other', name: 'Other', domain: 'other.example' })
  await expect(performAs(operator, 'other', showAdoptedOrder, { order: 'memory-77' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
  expect((await performAs(operator, 'other', listOrders, {})).items).toEqual([])
  const before = await performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-77' })
  const { order } = await performAs(operator, 'other', adoptOrder, ask({ there: '80', billed_party: 'Late AB' }))
  expect(order).toMatchObject({ order_id: 'memory-80', advertiser: 'Late AB' })
  expect(await performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-77' })).toEqual(before)
  await expect(performAs(operator, agent.tenant, showAdoptedOrder, { order: 'memory-80' })).rejects.toThrow()
})

it('is found, tried, adopted and shown in the console', async () => {
  const ada = await signedIn(agent, 'ada', 'administrator', agent.tenant)
  const base = `/console/t/${agent.tenant}`
  const { text: list } = await ada.get(`${base}/settings/ad-servers/memory/orders`)
  expect(list).toContain('Spring at Volta')
  expect(list).toContain('booked by this program')
  expect(list).toContain('memory-77')
  there.orders.set('81', { id: '81', name: 'Autumn', advertiser: 'Volta AB', lines: [lineThere('81', { orderId: '81' })] })
  const { text: form } = await ada.get(`${base}/settings/ad-servers/memory/orders/81/adopt`)
  expect(form).toContain('Nothing is stored yet')
  const answer = await ada.post(`${base}/settings/ad-servers/memory/orders/81/adopt`, { order_id: 'autumn' })
  expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/adopted-orders/autumn')])
  const { text: page } = await ada.get(`${base}/adopted-orders/autumn`)
  expect(page).toContain('Autumn')
  expect(page).toContain('Read it again')
  expect((await ada.get(`${base}/orders/autumn`)).location).toContain('/adopted-orders/autumn')
  there.orders.set('82', { id: '82', name: 'Winter', advertiser: 'Volta AB', lines: [lineThere('82', { orderId: '82' })] })
  const taken = await ada.post(`${base}/settings/ad-servers/memory/orders/82/adopt`, { order_id: 'autumn' })
  expect([taken.status, taken.text]).toEqual([400, expect.stringContaining('another order has the id autumn')])
})
