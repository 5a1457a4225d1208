import { afterAll, beforeAll, expect, it } from 'vitest'
import { listMakeGoods } from '../../../src/operator/make-goods/list-make-goods.ts'
import { listShortfalls } from '../../../src/operator/make-goods/list-shortfalls.ts'
import { offerDelivery } from '../../../src/operator/make-goods/offer-make-good.ts'
import { CHECKS } from '../../../src/operator/notifications/find-conditions.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { signedIn } from '../../support/console-client.ts'
import { changeDirectOrder, enterDirectOrder, listDirectOrders, showDirectOrder } from '../../support/direct-orders.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  operator = operatorBeside(publisher, () => publisher.clock())
})
afterAll(() => publisher?.stop())

const PAGE = { key_values: { page: ['over'] } }
const line = (more: object) => ({
  line_id: 'line',
  product_id: 'news_homepage_display',
  starts_at: '2026-03-10T00:00:00Z',
  ends_at: '2026-03-14T00:00:00Z',
  impressions: 1_000,
  cpm: 10,
  pacing: 'asap',
  targeting: PAGE,
  creatives: [{ creative_id: 'a', width: 970, height: 250, image: { url: 'https://cdn.example/over.png' } }],
  ...more,
})
const enter = (order_id: string, ...lines: readonly object[]) =>
  enterDirectOrder(operator, publisher.tenant, { name: 'o', text: JSON.stringify({ order_id, name: order_id, lines }) })
const shown = (id: string) => showDirectOrder(operator, publisher.tenant, id)
const conditions = async () => {
  const check = CHECKS.find(({ kinds }) => kinds.includes('underdelivery'))
  return (await check?.find(operator, publisher.tenant)) ?? []
}

async function showOnce(): Promise<void> {
  const ask = { placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }], ...PAGE }
  const decided = async () => (await publisher.decide(ask)).body.placements[0]?.ad
  await expect.poll(async () => JSON.stringify(await decided()), { timeout: 60_000 }).toContain('over.png')
  await publisher.get((await decided())?.events.impression ?? '')
}

it('is completed when its flight is over, however little it delivered, and what is missing is found and told', async () => {
  await enter('short', line({}), line({ line_id: 'later', ends_at: '2026-03-25T00:00:00Z', targeting: { countries: ['SE'] } }))
  await enter('house', line({ priority: 'house', targeting: { countries: ['SE'] } }))
  await enter('ended', line({ targeting: { countries: ['SE'] } }))
  await changeDirectOrder(operator, publisher.tenant, 'ended', 'ended')
  await showOnce()
  const running = await shown('short')
  expect([running.status, ...running.lines.map(({ status }) => status)]).toEqual(['active', 'active', 'active'])
  publisher.setClock('2026-03-12T00:00:00Z')
  const behind = (await shown('short')).lines.find(({ line_id }) => line_id === 'line')
  expect(behind?.pacing).toEqual({ elapsed: 0.5, delivered: 0.001, recognized: 0.001, expected: 0.5, state: 'behind' })
  expect((await conditions()).map(({ text }) => text)).toContain(
    'Line line of the direct order short has delivered 0 % of what was ordered; planned by now are 50 %. Its last day is 13 Mar 2026 (UTC).',
  )
  const base = `/console/t/${publisher.tenant}`
  const page = async (username: string, path: string) =>
    (await (await signedIn(publisher, username, 'administrator', publisher.tenant)).get(`${base}${path}`)).text
  expect(await page('ada', '/home')).toContain('direct order short, line')

  publisher.setClock('2026-03-14T00:00:00Z')
  const order = await shown('short')
  expect([order.status, ...order.lines.map(({ line_id, status }) => `${line_id} ${status}`).toSorted()]).toEqual([
    'active',
    'later active',
    'line completed',
  ])
  const { items } = await performAs(operator, publisher.tenant, listShortfalls, {})
  const missed = { unit: 'impressions', ordered: 1_000, delivered: 1, missing: 0.999, currency: 'USD' }
  expect(items.filter(({ origin }) => origin === 'entered')).toEqual([
    expect.objectContaining({ order_id: 'short', line_id: 'line', buyer: null, ...missed }),
  ])
  expect((await conditions()).map(({ subject, text }) => [subject, text])).toContainEqual([
    'short',
    'Line line of direct order short delivered 1 of 1000 impressions. Its last day was 13 Mar 2026 (UTC).',
  ])
  expect(await page('ben', '/reports/shortfalls')).toContain('99.9 %')

  publisher.setClock('2026-03-26T00:00:00Z')
  const listed = (await listDirectOrders(operator, publisher.tenant)).items.map(({ order_id, status }) => [order_id, status])
  expect(listed).toEqual([
    ['ended', 'canceled'],
    ['house', 'completed'],
    ['short', 'completed'],
  ])
  await expect(changeDirectOrder(operator, publisher.tenant, 'short', 'paused')).rejects.toMatchObject({
    code: 'INVALID_STATE',
    field: 'state',
  })
  const text = await page('cleo', '/direct-orders/short')
  expect([text.includes('completed'), text.includes('>Pause<')]).toEqual([true, false])
  await enter('short', line({ ends_at: '2026-03-28T00:00:00Z' }))
  expect((await shown('short')).status).toBe('active')
})

it('what a direct line missed is delivered by a line of its own, or credited, at once', async () => {
  publisher.setClock('2026-03-26T00:00:00Z')
  const far = { targeting: { countries: ['SE'] }, starts_at: '2026-03-27T00:00:00Z', ends_at: '2026-03-29T00:00:00Z' }
  const flat = { cpm: undefined, price_model: 'flat_rate', rate: 300 }
  await enter('spring', line(far), line({ ...far, line_id: 'page', ...flat }))
  publisher.setClock('2026-03-30T00:00:00Z')
  const short = await performAs(operator, publisher.tenant, listShortfalls, { order: 'spring' })
  expect(short.items.map(({ line_id }) => line_id).sort()).toEqual(['line', 'page'])
  expect((await performAs(operator, publisher.tenant, listShortfalls, { order: 'none' })).items).toEqual([])
  const offer = (act: typeof offerDelivery, members: object) =>
    performAs(operator, publisher.tenant, act, { order: 'spring', reason: 'the site was down', ...members })
  const made = await offer(offerDelivery, { line: 'line', first: '2026-04-01', last: '2026-04-02' })
  expect(made).toMatchObject({ state: 'accepted', new_line_id: 'line-more', impressions: 1_000, currency: 'USD' })
  await expect(offer(offerDelivery, { line: 'line' })).rejects.toMatchObject({ code: 'INVALID_STATE', field: 'line' })
  await offer(offerDelivery, { line: 'page', last: '2026-04-02' })
  const order = await shown('spring')
  const { lines } = order.document
  expect(order.status).toBe('active')
  expect(lines.find(({ line_id: id }) => id === 'line')).toMatchObject({ impressions: 1, cpm: 10 })
  expect(lines.find(({ line_id: id }) => id === 'line-more')).toMatchObject({
    impressions: 1_000,
    cpm: 10,
    priority: 'guaranteed',
  })
  expect(lines.find(({ line_id: id }) => id === 'line-more')).toMatchObject({ starts_at: '2026-04-01T00:00:00.000Z' })
  expect(lines.find(({ line_id: id }) => id === 'page-more')).toMatchObject({ impressions: 1_000, cpm: 0 })
  const found = async () =>
    (await performAs(operator, publisher.tenant, listShortfalls, {})).items.map(({ order_id }) => order_id)
  expect(await found()).not.toContain('spring')
  await enter('spring', ...lines.map((each) => ({ ...each, name: undefined })))
  const { items } = await performAs(operator, publisher.tenant, listMakeGoods, { order: 'spring' })
  expect(items.map(({ line_id: id, state }) => [id, state])).toEqual([
    ['line', 'accepted'],
    ['page', 'accepted'],
  ])
})

it('finds nothing where a day is no number', async () => {
  for (const days of [0, 367]) {
    await expect(performAs(operator, publisher.tenant, listShortfalls, { days })).rejects.toMatchObject({ field: 'days' })
  }
})
