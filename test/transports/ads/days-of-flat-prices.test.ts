import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorIn } from '../../../src/compose/operator.ts'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { showInvoice } from '../../../src/operator/billing/show-invoices.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { countEvents } from '../../support/count-events.ts'
import { enterDirectOrder } from '../../support/direct-orders.ts'
import { performAs, setTenant } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  const { store, services, contracts, clock } = publisher.server
  operator = operatorIn({ store, config: publisher.config, contracts, clock, services })
  await setTenant(operator, publisher.tenant, { timeZone: 'Europe/Stockholm' })
})
afterAll(() => publisher?.stop())

const image = { url: 'https://cdn.example/a.png' }
// 20 October to 4 November, with both days: clocks go back on the 25th.
const line = (line_id: string, more: object) => ({
  ...{ line_id, product_id: 'news_homepage_display', priority: 'standard' },
  ...{ starts_at: '2026-10-20T00:00:00+02:00', ends_at: '2026-11-05T00:00:00+01:00' },
  creatives: [{ creative_id: line_id, width: 970, height: 250, image, click_url: 'https://shop.example/' }],
  ...more,
})

it('the day on which clocks go back is one day: twelve of sixteen in October, at their price to the micro', async () => {
  publisher.setClock('2026-10-19T12:00:00Z')
  const lines = [
    line('day', { price_model: 'per_day', rate: 4321.098765 }),
    line('flat', { price_model: 'flat_rate', rate: 16_000.16 }),
  ]
  const order = { order_id: 'change', name: 'Change', advertiser: 'Nordic Tea', currency: 'SEK', lines }
  await enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify(order) })
  publisher.setClock('2026-11-05T12:00:00Z')
  for (const id of ['day', 'flat'])
    await countEvents(publisher, { order: 'change', line: id }, 'impression', 5, '2026-10-21T11:30:00.000Z')
  const billed = async (month: string) => {
    const { invoices } = await performAs(operator, publisher.tenant, closeMonth, { month })
    const { lines: said } = await performAs(operator, publisher.tenant, showInvoice, { invoice: invoices[0]?.invoice_id ?? '' })
    return said.map(({ unit, quantity, rate, rate_units: per, gross, rate_basis }) => [
      unit,
      quantity,
      rate,
      per,
      gross,
      rate_basis,
    ])
  }
  expect(await billed('2026-10')).toEqual([
    ['days', 12, 4321.098765, 1, 51_853.18518, 'agreed'],
    ['days', 12, 16_000.16, 16, 12_000.12, 'agreed'],
  ])
  publisher.setClock('2026-12-02T12:00:00Z')
  expect(await billed('2026-11')).toEqual([
    ['days', 4, 4321.098765, 1, 17_284.39506, 'agreed'],
    ['days', 4, 16_000.16, 16, 4_000.04, 'agreed'],
  ])
})
