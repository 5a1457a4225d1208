import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { savePlacement } from '../../../src/operator/placements/manage-placements.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { enterDirectOrder, showDirectOrder } from '../../support/direct-orders.ts'
import { performAs } from '../../support/operator.ts'

let publisher: AdPublisher
let operator: OperatorContext
const PLACE = 'news_home_billboard'

beforeAll(async () => {
  publisher = await startAdPublisher()
  operator = { ...operatorOn(publisher.server.store, publisher.config), clock: publisher.clock }
  for (const [order, labels] of [
    ['saab', ['Cars', 'Leasing']],
    ['volvo', ['cars']],
    ['coffee', undefined],
  ] as const)
    await enter(order, labels)
})
afterAll(() => publisher?.stop())

/** An order with two lines. */
function enter(order_id: string, labels: readonly string[] | undefined, more: object = {}) {
  const line = (number: number) => ({
    line_id: `line-${number}`,
    product_id: 'news_homepage_display',
    priority: 'standard',
    cpm: 5,
    starts_at: '2026-03-10T00:00:00Z',
    ends_at: '2026-03-14T00:00:00Z',
    pacing: 'asap',
    creatives: [{ creative_id: 'a', width: 970, height: 250, image: { url: `https://cdn.example/${order_id}-${number}.png` } }],
    ...((labels || Object.keys(more).length > 0) && { targeting: { ...(labels && { labels }), ...more } }),
  })
  const text = JSON.stringify({ order_id, name: order_id, lines: [line(1), line(2)] })
  return enterDirectOrder(operator, publisher.tenant, { name: 'order.json', text })
}

/** The orders that a page with so many places shows, as its visitor counts them. */
async function pageOf(places: number, more: object = {}): Promise<readonly string[]> {
  const placements = Array.from({ length: places }, () => ({ place: PLACE, sizes: ['970x250'] }))
  const { body, status } = await publisher.decide({ placements, ...more })
  expect(status).toBe(200)
  return body.placements.flatMap(({ ad }) => /cdn\.example\/([a-z]+-\d)\.png/.exec(JSON.stringify(ad))?.[1] ?? [])
}
const orders = (shown: readonly string[]) => [...new Set(shown.map((each) => each.split('-')[0] ?? ''))].sort()

it('of competitors a page shows one, with both of its lines, and others beside it: by own count of 200 pages', async () => {
  const counts = new Map<string, number>()
  for (let page = 0; page < 200; page++) {
    const shown = await pageOf(6)
    const cars = orders(shown).filter((order) => order !== 'coffee')
    expect(cars).toHaveLength(1)
    expect(shown).toHaveLength(4)
    for (const each of shown) counts.set(each, (counts.get(each) ?? 0) + 1)
  }
  expect([counts.get('coffee-1'), counts.get('coffee-2')]).toEqual([200, 200])
  expect((counts.get('saab-1') ?? 0) + (counts.get('volvo-1') ?? 0)).toBe(200)
})

it('also where a line has a frequency cap', async () => {
  await enter('saab', ['Cars'], { frequency_cap: { max_impressions: 50, window: { interval: 1, unit: 'days' } } })
  for (let page = 0; page < 5; page++) {
    const shown = await pageOf(6, { visitor_id: `visitor-${page}`, consent: { gdpr: false } })
    expect(orders(shown).filter((order) => order !== 'coffee')).toHaveLength(1)
  }
})

it('a placement shows no line that has one of its labels', async () => {
  const rules = { placement: PLACE, name: 'Billboard', kind: 'display', sizes: ['970x250'] }
  await performAs(operator, publisher.tenant, savePlacement, { ...rules, targeting: { labels: ['CARS'] } })
  await expect.poll(async () => orders(await pageOf(6)), { timeout: 5_000 }).toEqual(['coffee'])
  // Saab has the label of leasing; only Volvo is left of the cars.
  await enter('saab', ['Cars', 'Leasing'])
  await performAs(operator, publisher.tenant, savePlacement, { ...rules, targeting: { labels: ['leasing'] } })
  await expect.poll(async () => orders(await pageOf(6)), { timeout: 5_000 }).toEqual(['coffee', 'volvo'])
  await performAs(operator, publisher.tenant, savePlacement, { ...rules, targeting: {} })
})

it('labels are in the document of the order, and none is refused', async () => {
  const { document } = await showDirectOrder(operator, publisher.tenant, 'volvo')
  expect(document.lines.map(({ targeting }) => targeting)).toEqual([{ labels: ['cars'] }, { labels: ['cars'] }])
  await expect(enter('empty', [])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

it('a line has at most twenty labels', async () => {
  const many = Array.from({ length: 21 }, (_, number) => `label-${number}`)
  await expect(enter('many', many)).rejects.toThrow('/lines/0/targeting/labels: must NOT have more than 20 items')
})
