import { afterAll, beforeAll, expect, it } from 'vitest'
import { importOrders } from '../../../src/ad-serving/reconcile/import-orders.ts'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../../src/operator/billing/credit-invoice.ts'
import { listAdjustments } from '../../../src/operator/billing/pending-adjustments.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { countEvents } from '../../support/count-events.ts'
import { enterDirectOrder, previewDirectOrder } from '../../support/direct-orders.ts'
import { performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
})
afterAll(() => publisher?.stop())

const IMAGE = { image: { url: 'https://cdn.example/a.png' }, click_url: 'https://shop.example/' }
const line = (line_id: string, more: object) => ({
  ...{ line_id, product_id: 'news_homepage_display', priority: 'standard' },
  ...{ starts_at: '2026-03-05T00:00:00Z', ends_at: '2026-03-20T00:00:00Z' },
  creatives: [{ creative_id: line_id, width: 970, height: 250, ...IMAGE }],
  ...more,
})
const FLAT = line('flat', { price_model: 'flat_rate', rate: 20_000 })
const DAY = line('day', { price_model: 'per_day', rate: 100, ends_at: '2026-05-20T00:00:00Z' })
const CLICK = line('click', { price_model: 'cpc', rate: 2, budget: 5, ends_at: '2026-05-20T00:00:00Z' })
const LINES = [FLAT, DAY, CLICK]
const file = (lines: readonly object[], more: object = {}) => {
  const order = { order_id: 'door', name: 'Door', advertiser: 'Nordic Coffee', currency: 'SEK', lines, ...more }
  return { name: 'o', text: JSON.stringify(order) }
}
const enter = (lines: readonly object[], more?: object) => enterDirectOrder(operator, publisher.tenant, file(lines, more))
/** The lines of the order, one of them changed. */
const changed = (id: string, more: object) => LINES.map((each) => (each.line_id === id ? { ...each, ...more } : each))

const count = (line: string, kind: string, events: number, happenedAt: string) =>
  countEvents(publisher, { order: 'door', line }, kind, events, happenedAt)
/** What is to be corrected, after what the ad server says now is in the ledger. */
const pending = async () => {
  const { store, clock, log, services } = publisher.server
  const timing = { reportMs: 1_000, retryMs: 1_000, callMs: 20_000 }
  await importOrders({ store, clock, log, backends: services.adServers.backends }, timing)
  return (await performAs(operator, publisher.tenant, listAdjustments, {})).items
}
/** Entering it and trying it out are refused alike. */
async function refused(lines: readonly object[], field: string, message: string, more?: object): Promise<void> {
  const refusal = { code: 'INVALID_STATE', field, message: expect.stringContaining(message) }
  await expect(enter(lines, more)).rejects.toMatchObject(refusal)
  await expect(previewDirectOrder(operator, publisher.tenant, file(lines, more))).rejects.toMatchObject(refusal)
}

it('price and currency may change while nothing is delivered, charged or invoiced', async () => {
  await enter(LINES, { currency: 'NOK' })
  await enter(changed('flat', { rate: 100 }))
  await enter(LINES)
})

it('the currency stays once something is delivered', async () => {
  publisher.setClock('2026-03-20T12:00:00Z')
  for (const id of ['flat', 'day', 'click']) await count(id, 'impression', 5, '2026-03-19T23:30:00.000Z')
  await count('click', 'click', 4, '2026-03-19T23:30:00.000Z')
  await refused(LINES, 'currency', 'is in SEK, and has delivered in it since 2026-03-19', { currency: 'NOK' })
})

it('price, product, flight and limit stay as far as a closed month follows from them', async () => {
  publisher.setClock('2026-04-02T12:00:00Z')
  await performAs(operator, publisher.tenant, closeMonth, { month: '2026-03' })
  const onInvoice = 'is on invoice 2026-03-0001, and its price stays: finance charges or credits the difference'
  await refused(changed('flat', { rate: 100 }), 'lines[0].rate', `line flat ${onInvoice}`)
  await refused(changed('day', { rate: 90 }), 'lines[1].rate', `line day ${onInvoice}`)
  await refused(changed('day', { price_model: 'flat_rate' }), 'lines[1].price_model', `line day ${onInvoice}`)
  await refused(changed('click', { rate: 3 }), 'lines[2].rate', `line click ${onInvoice}`)
  await refused(changed('flat', { product_id: 'ros_display' }), 'lines[0].product_id', 'its product stays')
  await refused(LINES, 'currency', 'on invoice 2026-03-0001', { currency: 'NOK' })
  const other = 'in 2026-03, which is on invoice 2026-03-0001, and not 20000 SEK'
  await refused(changed('flat', { ends_at: '2026-05-20T00:00:00Z' }), 'lines[0].ends_at', other)
  await refused(changed('day', { starts_at: '2026-03-01T00:00:00Z' }), 'lines[1].starts_at', 'line day would cost')
  await refused(changed('click', { budget: 6 }), 'lines[2].budget', 'line click would cost 6 SEK in 2026-03')
  // A line that ended is what it was when it comes again.
  await enter([DAY, CLICK])
  await refused(changed('flat', { rate: 100 }), 'lines[0].rate', `line flat ${onInvoice}`)
  expect(await pending()).toEqual([])
})

it('what no closed month follows from changes: a name, a later end of a price by the day, a lower limit', async () => {
  await enter(changed('day', { ends_at: '2026-06-20T00:00:00Z' }), { name: 'Door and hall' })
  await enter(changed('click', { budget: 4 }))
  expect(await pending()).toEqual([])
})

it('what was credited as a whole is due again at another price', async () => {
  const invoice = { invoice: '2026-03-0001', what: 'all', reason: 'the wrong price' }
  for (const more of [{ amount: '5' }, { position: 1 }])
    await expect(performAs(operator, publisher.tenant, creditInvoice, { ...invoice, ...more })).rejects.toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: Object.keys(more)[0], message: expect.stringContaining('goes with what=amount') },
    })
  await performAs(operator, publisher.tenant, creditInvoice, invoice)
  await enter(changed('flat', { rate: 100 }))
  publisher.setClock('2026-04-02T18:00:00Z')
  // The server reads it by itself, too: what it has begun is not read again meanwhile.
  const found = async () => (await pending()).map(({ package_id: id, amount, reason }) => [id, amount, reason])
  await expect.poll(found, { timeout: 20_000 }).toContainEqual(['flat', 100, expect.stringContaining('2026-03-0001')])
})
