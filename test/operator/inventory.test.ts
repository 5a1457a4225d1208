import { afterAll, beforeAll, expect, test } from 'vitest'
import { inventoryOf, listProductInventory } from '../../src/operator/products/inventory.ts'
import { listProducts } from '../../src/operator/products/list-products.ts'
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
