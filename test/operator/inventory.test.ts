import { afterAll, beforeAll, expect, test } from 'vitest'
import { reservationChanges } from '../../src/domain/media-buy/inventory.ts'
import { inventoryOf, listProductInventory } from '../../src/operator/products/inventory.ts'
import { listProducts } from '../../src/operator/products/list-products.ts'
import { moveReservation } from '../../src/store/media-buy/inventory.ts'
import { insertHolds } from '../../src/store/media-buy/inventory-holds.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const guaranteed = productDocument('news', { delivery_type: 'guaranteed' }, { daily_capacity: 100_000 })
const open = productDocument('open', {
  forecast: {
    method: 'modeled',
    currency: 'USD',
    points: [{ budget: 1, metrics: { impressions: { low: 10, high: 20 } } }],
  },
} as object)

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([guaranteed, open])
}, 120_000)
afterAll(() => agent?.stop())

test('what guaranteed orders hold of the next 30 days is booked', async () => {
  const operator = operatorBeside(agent, agent.server.clock)
  const shown = async () => (await performAs(operator, agent.tenant, listProductInventory, {})).items
  const [before] = await shown()
  expect(before).toMatchObject({ product_id: 'news', capacity: 3_000_000, booked: 0, left: 3_000_000, forecast: null })
  const { data } = await agent.create({ packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }] })
  expect(data.errors).toBeUndefined()
  const [news, other] = await shown()
  expect(news?.booked).toBeGreaterThan(0)
  expect((news?.booked ?? 0) + (news?.left ?? 0)).toBe(3_000_000)
  expect(other).toMatchObject({ product_id: 'open', booked: 0, forecast: { low: 10, high: 20 } })
  const { products } = await listProducts(operator, { tenantId: agent.tenant })
  expect(await inventoryOf(operator, agent.tenant, products)).toEqual([news, other])
  expect(await inventoryOf(operator, agent.tenant, [])).toEqual([])
  agent.setClock('2026-04-20T00:00:00Z')
  expect((await shown())[0]).toMatchObject({ booked: 0 })
})

test('what a proposal holds is booked until its hold is over, swept or not', async () => {
  const pool = { tenantId: agent.tenant, pool: '' }
  const terms = { startsAt: '2026-05-01T00:00:00.000Z', endsAt: '2026-05-11T00:00:00.000Z' }
  const holdings = [{ productId: 'open', reservedImpressions: 1_000, terms }]
  await agent.server.store.transaction(async (tx) => {
    for (const [productId, changes] of reservationChanges([], holdings)) await moveReservation(tx, pool, productId, changes)
    const owner = { tenantId: agent.tenant, principalId: 'buyer' }
    await insertHolds(tx, owner, 'proposal_1', { pool: '', holdings, expiresAt: '2026-04-22T00:00:00.000Z' })
  })
  const booked = async () => {
    const operator = operatorBeside(agent, agent.server.clock)
    const { items } = await performAs(operator, agent.tenant, listProductInventory, {})
    return items.find(({ product_id: id }) => id === 'open')?.booked
  }
  agent.setClock('2026-04-21T00:00:00Z')
  expect(await booked()).toBe(1_000)
  agent.setClock('2026-04-22T00:00:00Z')
  expect(await booked()).toBe(0)
})
