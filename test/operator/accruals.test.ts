import { afterAll, beforeAll, expect, it } from 'vitest'
import { anchorOfLine } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { allPages } from '../../src/operator/all-pages.ts'
import { accrualCsv, showAccruals } from '../../src/operator/billing/accruals.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { addDelivery } from '../../src/store/ad-serving/delivery-ledger.ts'
import { signedIn } from '../support/console-client.ts'
import { enterDirectOrder } from '../support/direct-orders.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news', { format_ids: [] })], { clock: () => now })
  operator = operatorBeside(agent, () => now)
  const creatives = [{ creative_id: 'a', width: 300, height: 250, image: { url: 'https://cdn.example/a.png' } }]
  const flight = { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-09-01T00:00:00Z', impressions: 1_000_000 }
  for (const [order_id, advertiser] of [
    ['tea', 'Te AB'],
    ['coffee', 'Kaffe AB'],
  ] as const) {
    const line = { line_id: 'line', product_id: 'news', ...flight, cpm: 10, creatives }
    const order = { order_id, name: order_id, advertiser, currency: 'SEK', lines: [line] }
    await enterDirectOrder(operator, agent.tenant, { name: 'order', text: JSON.stringify(order) })
  }
  const terms = { order: 'tea', discount_basis_points: 1000, commission_basis_points: 1500 }
  await performAs(operator, agent.tenant, setOrderTerms, terms)
})
afterAll(() => agent.stop())

const deliver = (order: string, day: string, thousands: number) => {
  const delivered = { ...NOTHING, impressions: thousands * 1000, spendMicros: thousands * 10_000_000 }
  return agent.server.store.transaction((tx) =>
    addDelivery(tx, { tenantId: agent.tenant, adServer: 'embedded', now }, [
      { lineExternalId: anchorOfLine(order, 'line'), period: day, ...delivered },
    ]),
  )
}
const accruals = (members: object = {}) => performAs(operator, agent.tenant, showAccruals, { ...members })
const cells = ({ items }: Awaited<ReturnType<typeof accruals>>) =>
  items.map((item) => [item.month, item.is_closed, item.account_name, item.delivered, item.net, item.charges, item.accrued])

it('has what was delivered and charged and is on no invoice, by month and customer, as it would be invoiced', async () => {
  await deliver('tea', '2026-03-10', 10)
  await deliver('coffee', '2026-03-11', 5)
  now = new Date('2026-04-10T12:00:00.000Z')
  await deliver('tea', '2026-04-02', 2)
  await performAs(operator, agent.tenant, addCharge, { order: 'tea', amount: '50', reason: 'a second format' })
  expect(cells(await accruals())).toEqual([
    ['2026-03', false, 'Kaffe AB', 50, 50, 0, 50],
    ['2026-03', false, 'Te AB', 100, 76.5, 0, 76.5],
    ['2026-04', false, 'Te AB', 20, 15.3, 50, 65.3],
  ])
  const march = await accruals({ through: '2026-03' })
  const preview = await performAs(operator, agent.tenant, previewMonth, { month: '2026-03' })
  expect(march.totals).toMatchObject([{ currency: 'SEK', accrued: preview.totals[0]?.total }])
  await performAs(operator, agent.tenant, closeMonth, { month: '2026-03' })
  expect(cells(await accruals())).toEqual([['2026-04', false, 'Te AB', 20, 15.3, 50, 65.3]])
  expect((await accruals({ through: '2026-03' })).items).toEqual([])
})

it('a correction of a closed month is at the terms of its invoice, and marked as one', async () => {
  await deliver('tea', '2026-03-10', 8)
  const terms = { order: 'tea', discount_basis_points: 2000, commission_basis_points: 0 }
  await performAs(operator, agent.tenant, setOrderTerms, terms)
  const found = await accruals()
  expect(cells(found)).toEqual([
    ['2026-03', true, 'Te AB', -20, -15.3, 0, -15.3],
    ['2026-04', false, 'Te AB', 20, 16, 50, 66],
  ])
  expect(found.totals).toEqual([{ currency: 'SEK', delivered: 0, net: 0.7, charges: 50, accrued: 50.7 }])
  now = new Date('2026-05-02T12:00:00.000Z')
  const preview = await performAs(operator, agent.tenant, previewMonth, { month: '2026-04' })
  expect(preview.totals).toMatchObject([{ currency: 'SEK', total: 50.7 }])
})

it('is read page by page and of one customer, as a page of the console and as a file; no month to come has any', async () => {
  await deliver('coffee', '2026-04-20', 1)
  const whole = (await accruals()).items
  expect(await allPages((cursor) => accruals({ limit: 1, ...(cursor !== undefined && { cursor }) }))).toEqual(whole)
  expect(cells(await accruals({ account: 'direct:Kaffe AB' }))).toEqual([['2026-04', false, 'Kaffe AB', 10, 10, 0, 10]])
  await expect(accruals({ through: '2026-06' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'through' })
  const ada = await signedIn(agent, 'ada', 'viewer', agent.tenant)
  const base = `/console/t/${agent.tenant}/billing/accruals`
  const read = (await ada.get(base)).text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  expect(read).toContain('closed: a correction Te AB')
  expect(read).toMatch(/All SEK .*60.70/)
  expect((await ada.get(`${base}?through=2027-01`)).text).toContain('through must be a month up to the one that runs, 2026-05')
  expect((await ada.get(`${base}.csv`)).text).toBe(accrualCsv(whole))
})
