import { afterAll, beforeAll, expect, it } from 'vitest'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('shelf', { catalog_types: ['product', 'store'] }), productDocument('news')])
  await agent.run('sync_catalogs', {
    catalogs: [{ catalog_id: 'shop', type: 'product', items: [item('a', { gtin: '00012345678905' }), item('b'), BAD] }],
  })
})
afterAll(() => agent.stop())

const item = (id: string, more: object = {}) => ({
  item_id: id,
  title: id,
  url: `https://shop.example/${id}`,
  image_url: `https://cdn.shop.example/${id}.jpg`,
  price: { amount: 10, currency: 'EUR' },
  ...more,
})
const BAD = item('bad', { url: 'javascript:alert(1)' })

interface Shown {
  readonly product_id: string
  readonly catalog_types?: string[]
  readonly catalog_match?: object
}
async function products(catalog: object, client = agent.buyer, account: object = { account: ACCOUNT }): Promise<Shown[]> {
  const { isError, data } = await client.call('get_products', {
    buying_mode: 'wholesale',
    brand: ACCOUNT.brand,
    catalog,
    ...account,
  })
  expect(isError, JSON.stringify(data)).toBe(false)
  expect(data.products.length).toBeGreaterThan(0)
  return data.products
}
async function match(catalog: object): Promise<object | undefined> {
  const matches = (await products(catalog)).map(({ catalog_match }) => catalog_match)
  expect(new Set(matches.map((each) => JSON.stringify(each))).size).toBe(1)
  return matches[0]
}

it('tells of a synced catalog which items a product could show, by their ids and GTINs', async () => {
  expect(await match({ type: 'product', catalog_id: 'shop' })).toEqual({
    submitted_count: 3,
    matched_count: 2,
    matched_ids: ['a', 'b'],
    matched_gtins: ['00012345678905'],
  })
})

it('narrows by the selectors of the request', async () => {
  const shop = { type: 'product', catalog_id: 'shop' }
  expect(await match({ ...shop, ids: ['b', 'bad', 'none'] })).toMatchObject({ submitted_count: 3, matched_ids: ['b'] })
  expect(await match({ ...shop, gtins: ['00012345678905'] })).toMatchObject({ matched_count: 1, matched_ids: ['a'] })
})

it('reviews items that come with the request', async () => {
  const items = [item('x'), BAD]
  expect(await match({ type: 'product', items })).toEqual({ submitted_count: 2, matched_count: 1, matched_ids: ['x'] })
})

it('follows the catalog at once, and is not kept from an earlier answer', async () => {
  await agent.run('sync_catalogs', { catalogs: [{ catalog_id: 'late', type: 'product', items: [item('one')] }] })
  expect(await match({ type: 'product', catalog_id: 'late' })).toMatchObject({ matched_count: 1 })
  await agent.run('sync_catalogs', { catalogs: [{ catalog_id: 'late', type: 'product', items: [item('one'), item('two')] }] })
  expect(await match({ type: 'product', catalog_id: 'late' })).toMatchObject({ matched_count: 2 })
})

it('says nothing of a catalog that is not there, is of another type, or belongs to somebody else', async () => {
  expect(await match({ type: 'product', catalog_id: 'none' })).toBeUndefined()
  expect(await match({ type: 'store', catalog_id: 'shop' })).toBeUndefined()
  const anybody = await products({ type: 'product', catalog_id: 'shop' }, agent.client(), {})
  expect(anybody.every(({ catalog_match }) => catalog_match === undefined)).toBe(true)
})
