import { afterAll, beforeAll, expect, it } from 'vitest'
import { importOrders } from '../../../src/ad-serving/reconcile/import-orders.ts'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { listAdjustments } from '../../../src/operator/billing/pending-adjustments.ts'
import { previewMonth } from '../../../src/operator/billing/preview-month.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { countEvents } from '../../support/count-events.ts'
import { enterDirectOrder } from '../../support/direct-orders.ts'
import { performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
})
afterAll(() => publisher?.stop())

const line = (line_id: string, more: object) => ({
  ...{ line_id, product_id: 'news_homepage_display', starts_at: '2026-03-05T00:00:00Z', ends_at: '2026-06-20T00:00:00Z' },
  creatives: [{ creative_id: line_id, width: 970, height: 250, image: { url: 'https://cdn.example/a.png' } }],
  ...more,
})
const HOUSE = line('house', { priority: 'house' })
/** Two crowns an impression. */
const SOLD = line('sold', { priority: 'standard', cpm: 2_000 })
const enter = (order_id: string, lines: readonly object[]) => {
  const order = { order_id, name: order_id, advertiser: order_id, currency: 'SEK', lines }
  return enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(order) })
}
const show = (order: string, line: string, events: number, happenedAt: string) =>
  countEvents(publisher, { order, line }, 'impression', events, happenedAt)
async function report(): Promise<void> {
  const { store, clock, log, services } = publisher.server
  const timing = { reportMs: 1_000, retryMs: 1_000, callMs: 20_000 }
  await importOrders({ store, clock, log, backends: services.adServers.backends }, timing)
}
const pending = async () => (await performAs(operator, publisher.tenant, listAdjustments, {})).items
const previewed = async (month: string) => {
  const { invoices } = await performAs(operator, publisher.tenant, previewMonth, { month })
  return invoices.map(({ account, total }) => [account, total])
}

it('an order that is charged for is billed on when only house ads are left of it: no closed month changes, and the rest is due', async () => {
  await enter('Sold', [HOUSE, SOLD])
  await enter('Own', [HOUSE])
  publisher.setClock('2026-03-20T12:00:00Z')
  await show('Sold', 'sold', 7, '2026-03-19T12:30:00.000Z')
  await show('Own', 'house', 9, '2026-03-19T12:30:00.000Z')
  publisher.setClock('2026-04-02T12:00:00Z')
  const { invoices } = await performAs(operator, publisher.tenant, closeMonth, { month: '2026-03' })
  expect(invoices.map(({ account, total }) => [account, total])).toEqual([['direct:Sold', 14]])
  publisher.setClock('2026-04-10T12:00:00Z')
  await show('Sold', 'sold', 5, '2026-04-09T12:30:00.000Z')
  await enter('Sold', [HOUSE])
  await report()
  expect(await pending()).toEqual([])
  publisher.setClock('2026-05-02T12:00:00Z')
  expect(await previewed('2026-04')).toEqual([['direct:Sold', 10]])
})

it('an order of house ads that is sold later is billed from the first open month on', async () => {
  await enter('Own', [HOUSE, SOLD])
  await show('Own', 'sold', 3, '2026-05-01T12:30:00.000Z')
  await report()
  expect(await pending()).toEqual([])
  expect(await previewed('2026-04')).toEqual([['direct:Sold', 10]])
  await performAs(operator, publisher.tenant, closeMonth, { month: '2026-04' })
  publisher.setClock('2026-06-02T12:00:00Z')
  expect(await previewed('2026-05')).toEqual([['direct:Own', 6]])
})

it('an order that never cost anything and has house ads alone is billed to nobody', async () => {
  await enter('Planned', [HOUSE, SOLD])
  await enter('Planned', [HOUSE])
  const row = await publisher.server.store.read.selectFrom('orders').select('party').where('order_id', '=', 'Planned')
  expect(await row.executeTakeFirst()).toEqual({ party: '' })
})
