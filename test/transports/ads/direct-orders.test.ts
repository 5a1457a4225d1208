import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { findTenant } from '../../../src/store/identity/tenants.ts'
import { moveReservation, reservedIn } from '../../../src/store/media-buy/inventory.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import {
  changeDirectOrder,
  enterDirectOrder,
  listDirectOrders,
  previewDirectOrder,
  showDirectOrder,
} from '../../support/direct-orders.ts'

const DAY = '2026-03-12'
const PRODUCT = 'news_homepage_display'
const image = (url: string) => ({
  creative_id: 'image',
  width: 970,
  height: 250,
  image: { url },
  click_url: 'https://shop.example/',
})

let publisher: AdPublisher
let operator: OperatorContext
beforeAll(async () => {
  publisher = await startAdPublisher()
  operator = { ...operatorOn(publisher.server.store, publisher.config), clock: publisher.clock }
})
afterAll(() => publisher?.stop())

const line = (more: object) => ({
  line_id: 'line',
  product_id: PRODUCT,
  starts_at: '2026-03-10T00:00:00Z',
  ends_at: '2026-03-14T00:00:00Z',
  creatives: [image('https://cdn.example/direct.png')],
  ...more,
})
const fileOf = (order_id: string, lines: readonly object[]) => ({
  name: 'order.json',
  text: JSON.stringify({ order_id, name: `Order ${order_id}`, lines }),
})
const enter = (order_id: string, ...lines: readonly object[]) =>
  enterDirectOrder(operator, publisher.tenant, fileOf(order_id, lines))
const end = (orderId: string) => changeDirectOrder(operator, publisher.tenant, orderId, 'ended')

async function heldOn(day: string): Promise<number> {
  const held = await reservedIn(publisher.server.store.read, { tenantId: publisher.tenant, pool: '' }, PRODUCT, {
    first: day,
    last: day,
  })
  return held.get(day) ?? 0
}

/** Address of the picture that the billboard shows. */
async function shown(more: object = {}): Promise<string | undefined> {
  const { body } = await publisher.decide({ placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }], ...more })
  return /https:\/\/cdn\.example\/[\w-]+\.png/.exec(JSON.stringify(body))?.[0]
}

describe('a direct order', () => {
  it('holds inventory day by day, and gives it back when it changes or ends', async () => {
    const before = await heldOn(DAY)
    await enter('held', line({ impressions: 4_000 }))
    expect((await heldOn(DAY)) - before).toBe(1_000)
    await enter('held', line({ impressions: 8_000 }))
    expect((await heldOn(DAY)) - before).toBe(2_000)
    const thursday = [{ days: ['thursday'], start_hour: 0, end_hour: 24 }]
    await enter('held', line({ impressions: 3_000, targeting: { dayparts: thursday } }))
    expect((await heldOn(DAY)) - before).toBe(3_000)
    await enter('held', line({ line_id: 'other', impressions: 400 }))
    expect((await heldOn(DAY)) - before).toBe(100)
    const ended = await end('held')
    expect(ended.lines.map(({ line_id, state }) => [line_id, state]).toSorted()).toEqual([
      ['line', 'ended'],
      ['other', 'active'],
    ])
    expect(await heldOn(DAY)).toBe(before)
    await end('held')
    expect(await heldOn(DAY)).toBe(before)
    await expect(enter('held', line({ impressions: 1 }))).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  it('cannot sell a day twice, and changes nothing when it would', async () => {
    const { store, services } = publisher.server
    const tenant = await findTenant(store.read, publisher.tenant)
    if (!tenant) throw new Error('no publisher')
    const products = await services.products.get(store.read, tenant, undefined)
    const capacity = products.byId.get(PRODUCT)?.selling.dailyCapacity ?? 0
    const pool = { tenantId: publisher.tenant, pool: '' }
    const sold = capacity - (await heldOn(DAY)) - 10
    await store.transaction((tx) => moveReservation(tx, pool, PRODUCT, [{ period: DAY, delta: sold }]))
    const flight = { starts_at: `${DAY}T00:00:00Z`, ends_at: '2026-03-13T00:00:00Z' }
    await expect(enter('full', line({ ...flight, impressions: 11 }))).rejects.toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
    expect(await heldOn(DAY)).toBe(capacity - 10)
    await enter('full', line({ ...flight, impressions: 10 }))
    expect(await heldOn(DAY)).toBe(capacity)
    await end('full')
    await store.transaction((tx) => moveReservation(tx, pool, PRODUCT, [{ period: DAY, delta: -sold }]))
  })

  it('is tried without being stored, and changed only from the revision that was seen', async () => {
    const before = await heldOn(DAY)
    const { tenant } = publisher
    const first = await previewDirectOrder(operator, tenant, fileOf('tried', [line({ impressions: 4_000, cpm: 2 })]))
    expect(first).toMatchObject({
      revision: 0,
      changed: true,
      budget_after: 8,
      held: [{ product_id: PRODUCT, impressions: 4_000 }],
    })
    await expect(showDirectOrder(operator, tenant, 'tried')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    expect(await heldOn(DAY)).toBe(before)
    const entered = await enter('tried', line({ impressions: 4_000, cpm: 2 }))
    expect(entered).toMatchObject({ revision: 1, history: [{ revision: 1, summary: ['entered'] }] })
    const more = fileOf('tried', [line({ impressions: 2_000, cpm: 2 })])
    const second = await previewDirectOrder(operator, tenant, more, 1)
    expect(second).toMatchObject({
      revision: 1,
      budget_before: 8,
      budget_after: 4,
      differences: [{ line_id: 'line', creative_id: null, field: 'impressions', before: 4_000, after: 2_000 }],
      held: [{ product_id: PRODUCT, impressions: -2_000 }],
    })
    await changeDirectOrder(operator, tenant, 'tried', 'paused')
    const late = { code: 'CONFLICT', field: 'revision' }
    await expect(previewDirectOrder(operator, tenant, more, 1)).rejects.toMatchObject(late)
    await expect(enterDirectOrder(operator, tenant, more, 1)).rejects.toMatchObject(late)
    await expect(enterDirectOrder(operator, tenant, more, 0)).rejects.toMatchObject({ code: 'INVALID_STATE' })
    const [one, other] = await Promise.allSettled([
      enterDirectOrder(operator, tenant, more, 2),
      enterDirectOrder(operator, tenant, fileOf('tried', [line({ impressions: 1_000, cpm: 2 })]), 2),
    ])
    expect([one, other].map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const changed = await showDirectOrder(operator, tenant, 'tried')
    expect([changed.revision, changed.state]).toEqual([3, 'paused'])
    expect(changed.history.map(({ summary }) => summary).slice(1)).toEqual([['paused'], ['entered']])
    expect(await enterDirectOrder(operator, tenant, { name: 'same', text: JSON.stringify(changed.document) })).toEqual(changed)
    await end('tried')
    expect(await heldOn(DAY)).toBe(before)
  })

  it('is shown to a visitor as often as its cap says, in the browsers that it names', async () => {
    const frequency_cap = { max_impressions: 1, window: { interval: 1, unit: 'campaign' } }
    const targeting = { key_values: { page: ['capped'] }, browsers: ['Chrome'], frequency_cap }
    await enter('capped', line({ priority: 'standard', cpm: 90, targeting }))
    const visit = (visitor_id: string) => shown({ key_values: { page: ['capped'] }, visitor_id, consent: { gdpr: false } })
    const direct = 'https://cdn.example/direct.png'
    await expect.poll(() => visit(`warm-${Math.random()}`), { timeout: 30_000 }).toBe(direct)
    expect([await visit('anna'), await visit('anna'), await visit('otto')]).toEqual([direct, undefined, direct])
    await enter('capped', line({ priority: 'standard', cpm: 90, targeting: { ...targeting, browsers: ['Firefox'] } }))
    await expect.poll(() => visit(`later-${Math.random()}`), { timeout: 30_000 }).toBeUndefined()
    await end('capped')
  })

  it('is served by its priority: before and after orders of buyers', async () => {
    const image = (name: string) => [
      { creative_id: name, width: 970, height: 250, image: { url: `https://cdn.example/${name}.png` } },
    ]
    await enter('own', line({ priority: 'house', creatives: image('house') }))
    await expect.poll(() => shown(), { timeout: 60_000 }).toBe('https://cdn.example/house.png')
    await publisher.sell('bought', 'image', { priority: 'non_guaranteed' })
    await expect.poll(() => shown(), { timeout: 60_000 }).toBe('https://cdn.example/a.png')
    const targeting = { key_values: { section: ['sport'] } }
    await enter('sold', line({ impressions: 1_000, pacing: 'asap', targeting, creatives: image('direct') }))
    const sport = { key_values: { section: ['sport'] } }
    await expect.poll(() => shown(sport), { timeout: 60_000 }).toBe('https://cdn.example/direct.png')
    expect(await shown()).toBe('https://cdn.example/a.png')
    await changeDirectOrder(operator, publisher.tenant, 'sold', 'paused')
    await expect.poll(() => shown(sport), { timeout: 60_000 }).toBe('https://cdn.example/a.png')
  })

  it('shows what was delivered', async () => {
    await enter(
      'counted',
      line({ impressions: 1_000, cpm: 10, pacing: 'asap', targeting: { key_values: { page: ['counted'] } } }),
    )
    const ask = { placements: [{ place: 'news_home_billboard', sizes: ['970x250'] }], key_values: { page: ['counted'] } }
    await expect
      .poll(() => shown({ key_values: { page: ['counted'] } }), { timeout: 60_000 })
      .toBe('https://cdn.example/direct.png')
    const { body } = await publisher.decide(ask)
    await publisher.get(body.placements[0]?.ad?.events.impression ?? '')
    const order = await changeDirectOrder(operator, publisher.tenant, 'counted', 'paused')
    expect(order.lines).toMatchObject([{ impressions: 1, charged: 0.01, goal: 1_000 }])
    const { items: orders } = await listDirectOrders(operator, publisher.tenant)
    expect(orders.map(({ order_id, state }) => [order_id, state])).toEqual([
      ['capped', 'ended'],
      ['counted', 'paused'],
      ['full', 'ended'],
      ['held', 'ended'],
      ['own', 'active'],
      ['sold', 'paused'],
      ['tried', 'ended'],
    ])
  })

  it.each([
    [line({}), 'lines[0].impressions'],
    [line({ impressions: 1, ends_at: '2026-03-10T00:00:00Z' }), 'lines[0].ends_at'],
    [line({ impressions: 1, product_id: 'none' }), 'lines[0].product_id'],
    [
      line({ impressions: 1, targeting: { dayparts: [{ days: ['monday'], start_hour: 22, end_hour: 6 }] } }),
      'lines[0].targeting.dayparts[0].end_hour',
    ],
    [line({ impressions: 0 }), 'file'],
    [
      line({ impressions: 1, creatives: [{ creative_id: 'a', image: { url: 'javascript:alert(1)' }, width: 1, height: 1 }] }),
      'file',
    ],
  ])('is refused with the field that is wrong (%#)', async (wrong, field) => {
    await expect(enter('wrong', wrong)).rejects.toMatchObject({ field })
  })
})
