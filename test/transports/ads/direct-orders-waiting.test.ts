import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeMonth } from '../../../src/operator/billing/close-month.ts'
import { showInvoice } from '../../../src/operator/billing/show-invoices.ts'
import { findUnderdelivery } from '../../../src/operator/notifications/find-underdelivery.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { changeOrders } from '../../../src/operator/order-list/change-several.ts'
import { listOrders } from '../../../src/operator/order-list/list-orders.ts'
import { copyOrder } from '../../../src/operator/orders/copy-order.ts'
import { deliveryReport } from '../../../src/operator/reports/delivery-report.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { signedIn } from '../../support/console-client.ts'
import { formFields } from '../../support/console-form.ts'
import { countEvents } from '../../support/count-events.ts'
import { changeDirectOrder, enterDirectOrder, previewDirectOrder, showDirectOrder } from '../../support/direct-orders.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  operator = operatorBeside(publisher, () => publisher.clock())
})
afterAll(() => publisher?.stop())

const PAGE = { key_values: { page: ['waiting'] } }
const creatives = [{ creative_id: 'a', width: 970, height: 250, image: { url: 'https://cdn.example/late.png' } }]
const line = (line_id: string, more: object = {}) => ({
  ...{ line_id, product_id: 'news_homepage_display', impressions: 1_000, cpm: 10, pacing: 'asap', targeting: PAGE },
  ...{ starts_at: '2026-03-12T00:00:00Z', ends_at: '2026-03-22T00:00:00Z' },
  ...more,
})
const FLAT = line('flat', { cpm: undefined, price_model: 'flat_rate', rate: 100 })
const file = (order_id: string, lines: readonly object[]) => {
  const order = { order_id, name: order_id, advertiser: 'Nordic Coffee', currency: 'SEK', lines }
  return { name: 'o', text: JSON.stringify(order) }
}
const enter = (id: string, ...lines: readonly object[]) => enterDirectOrder(operator, publisher.tenant, file(id, lines))
const statuses = async (id: string) => {
  const { status, lines } = await showDirectOrder(operator, publisher.tenant, id)
  return [status, ...lines.map((each) => `${each.line_id} ${each.status}`).toSorted()]
}
const listed = async (status: 'pending_creatives' | 'active') =>
  (await performAs(operator, publisher.tenant, listOrders, { origin: ['entered'], status: [status] })).items.map(
    ({ media_buy_id: id }) => id,
  )
const shown = async () => {
  const ask = { placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }], ...PAGE }
  return JSON.stringify((await publisher.decide(ask)).body)
}

it('an order is entered before its creatives are there, waits for them, and is served with the first', async () => {
  const preview = await previewDirectOrder(operator, publisher.tenant, file('late', [line('unit'), FLAT]))
  expect(preview.warnings).toEqual([
    'flat has no creatives: nothing of it is served until one is added',
    'unit has no creatives: nothing of it is served until one is added',
  ])
  expect(preview.held).toEqual([{ product_id: 'news_homepage_display', impressions: 2_000 }])
  const { document } = await enter('late', line('unit'), { ...FLAT, creatives: [] })
  expect(document).toMatchObject({ lines: [{ creatives: [] }, { creatives: [] }] })
  expect(await statuses('late')).toEqual(['pending_creatives', 'flat pending_creatives', 'unit pending_creatives'])
  expect([await listed('pending_creatives'), await listed('active')]).toEqual([['late'], []])
  expect((await changeDirectOrder(operator, publisher.tenant, 'late', 'paused')).status).toBe('pending_creatives')
  const resumed = await performAs(operator, publisher.tenant, changeOrders, { orders: ['late'], state: 'active' })
  expect(resumed).toEqual({ changed: [{ order: 'late', status: 'pending_creatives' }], refused: [] })
  const copy = await performAs(operator, publisher.tenant, copyOrder, { order: 'late' })
  expect(copy.document.lines.map((each) => each.creatives)).toEqual([[], []])

  publisher.setClock('2026-03-14T00:00:00Z')
  expect(await statuses('late')).toEqual(['pending_creatives', 'flat pending_creatives', 'unit pending_creatives'])
  expect(await shown()).not.toContain('late.png')
  expect((await findUnderdelivery(operator, publisher.tenant)).map(({ text }) => text)).toContain(
    'Line unit of the direct order late has no creatives, so that nothing of it is served: it has delivered 0 % of what was ordered; planned by now are 20 %. Its last day is 21 Mar 2026 (UTC).',
  )

  await enter('late', line('unit', { creatives }), FLAT)
  expect(await statuses('late')).toEqual(['active', 'flat pending_creatives', 'unit active'])
  await expect.poll(shown, { timeout: 60_000 }).toContain('late.png')
})

it('what was not shown costs nothing; a flat price is due from the first hour that shows something, with what was earned by then', async () => {
  const charged = async () => {
    const { lines } = await showDirectOrder(operator, publisher.tenant, 'late')
    return Object.fromEntries(lines.map((each) => [each.line_id, each.charged]))
  }
  publisher.setClock('2026-03-15T00:00:00Z')
  expect((await charged()).flat).toBe(0)
  await enter('late', line('unit', { creatives }), { ...FLAT, creatives })
  publisher.setClock('2026-03-17T00:00:00Z')
  expect((await charged()).flat).toBe(0)
  await countEvents(publisher, { order: 'late', line: 'flat' }, 'impression', 5, '2026-03-16T11:30:00.000Z')
  expect((await charged()).flat).toBe(50)
  // What loses its creatives in its flight stays what it is, as an order of a buyer does.
  await enter('late', line('unit', { creatives }), FLAT)
  expect(await statuses('late')).toContain('flat active')
  await countEvents(publisher, { order: 'late', line: 'flat' }, 'impression', 1, '2026-03-20T11:30:00.000Z')
  publisher.setClock('2026-04-03T12:00:00Z')
  expect(await statuses('late')).toEqual(['completed', 'flat completed', 'unit completed'])
  const range = { first: '2026-03-01', last: '2026-03-31' }
  const spent = async () => {
    const { rows } = await performAs(operator, publisher.tenant, deliveryReport, { by: ['order'], ...range })
    return rows.find(({ dimensions }) => dimensions.order === 'late')?.spent
  }
  // The ledger has it with the next import.
  await expect.poll(spent, { timeout: 60_000 }).toBe(100)
  await enter('never', line('flat', { ...FLAT, starts_at: '2026-04-01T00:00:00Z', ends_at: '2026-04-03T00:00:00Z' }))
  const { invoices } = await performAs(operator, publisher.tenant, closeMonth, { month: '2026-03' })
  const own = invoices.find(({ currency }) => currency === 'SEK')
  const { lines } = await performAs(operator, publisher.tenant, showInvoice, { invoice: own?.invoice_id ?? '' })
  expect(lines.map(({ package_id: id, gross }) => [id, gross])).toEqual([['flat', 100]])
  publisher.setClock('2026-05-03T12:00:00Z')
  const april = await performAs(operator, publisher.tenant, closeMonth, { month: '2026-04' })
  expect(april.invoices.filter(({ currency }) => currency === 'SEK')).toEqual([])
})

it('the home page names orders that wait, and lines that wait beside others', async () => {
  publisher.setClock('2026-05-04T00:00:00Z')
  const may = { starts_at: '2026-05-06T00:00:00Z', ends_at: '2026-05-16T00:00:00Z' }
  await enter('soon', line('a', may), line('b', may))
  const problems = async (username: string) => {
    const person = await signedIn(publisher, username, 'administrator', publisher.tenant)
    const { text } = await person.get(`/console/t/${publisher.tenant}/home`)
    return [...text.matchAll(/<small>(direct order soon[^<]*)/g)].map(([, told]) => told)
  }
  expect(await problems('ada')).toEqual([expect.stringMatching(/^direct order soon · no creatives · starts /)])
  publisher.setClock('2026-05-09T00:00:00Z')
  expect(await problems('ben')).toEqual([expect.stringMatching(/^direct order soon · no creatives · should run since /)])
  await enter('soon', line('a', { ...may, creatives }), line('b', may))
  expect(await problems('cleo')).toEqual(
    expect.arrayContaining([expect.stringMatching(/^direct order soon, b · no creatives · last day /)]),
  )
})

it('the form enters a line whose creative was removed, and says what that means', async () => {
  publisher.setClock('2026-05-03T12:00:00Z')
  const clara = await signedIn(publisher, 'clara', 'ad_operations', publisher.tenant)
  const base = `/console/t/${publisher.tenant}`
  const fields = (text: string) => Object.fromEntries(formFields(text, `${base}/direct-orders`))
  const empty = fields((await clara.get(`${base}/direct-orders/~enter`)).text)
  const typed = {
    ...empty,
    order_id: 'form',
    name: 'By hand',
    'line-0-product_id': 'news_homepage_display',
    'line-0-impressions': '500',
  }
  const bare = (await clara.post(`${base}/direct-orders`, { ...typed, do: 'remove-creative-0-0' })).text
  expect(bare).toContain('nothing of it is served until one is added')
  expect(bare).toMatch(/<select id="line-0-new_kind"[^>]* autofocus>/)
  const { do: _button, ...sent } = fields(bare)
  const entered = await clara.post(`${base}/direct-orders`, sent)
  expect([entered.status, entered.location], entered.text).toEqual([303, `${base}/direct-orders/form?done=added`])
  expect((await clara.get(`${base}/direct-orders/form`)).text).toContain('pending creatives')
  expect((await clara.get(`${base}/direct-orders/form/edit`)).text).toContain('nothing of it is served until one is added')
})
