import { afterAll, beforeAll, expect, it } from 'vitest'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { archiveProduct, restoreProduct, setProduct } from '../../src/operator/products/change-product.ts'
import { exportProducts, importProductFile } from '../../src/operator/products/import-products.ts'
import { PRODUCT_CHANGES, productHistory } from '../../src/operator/products/product-history.ts'
import { saveProduct } from '../../src/operator/products/save-product.ts'
import { productFileInSteps, writeProductFile } from '../../src/operator/products/write-product-file.ts'
import type { AdcpError } from '../../src/protocol/errors.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
let agent: MediaBuyAgent
let operator: OperatorContext
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('sport')])
  operator = operatorBeside(agent, () => now)
})
afterAll(() => agent.stop())

const offered = async () => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'wholesale' })
  return data.products.map(({ product_id: id }: { product_id: string }) => id)
}
const set = (cells: Record<string, string>, productId = 'news') =>
  performAs(operator, agent.tenant, setProduct, { product: productId, cells })

it('takes one product off sale and back, names the orders that go on, and leaves the others', async () => {
  const { data } = await agent.create()
  const { orders } = await performAs(operator, agent.tenant, archiveProduct, { product: 'news' })
  expect(orders).toEqual([{ product_id: 'news', orders: 1, examples: [data.media_buy_id] }])
  expect(await offered()).toEqual(['sport'])
  expect((await agent.create()).isError).toBe(true)
  await performAs(operator, agent.tenant, restoreProduct, { product: 'news' })
  expect(await offered()).toEqual(['news', 'sport'])
})

it('changes a price and a name by columns; an empty cell takes a value away', async () => {
  await set({ price: '12.50', name: 'News front', keywords: 'politics|economy' })
  const [news] = (await exportProducts(operator, agent.tenant)).products
  expect(news).toMatchObject({
    name: 'News front',
    pricing_options: [{ fixed_price: 12.5 }],
    selling: { keywords: ['politics', 'economy'] },
  })
  await set({ keywords: '' })
  expect((await exportProducts(operator, agent.tenant)).products[0]?.selling.keywords).toBeUndefined()
})

it('refuses what an import would refuse, and changes nothing', async () => {
  const before = await exportProducts(operator, agent.tenant)
  await expect(set({ prize: '5' })).rejects.toThrow('did you mean "price"?')
  await expect(set({ price: 'cheap' })).rejects.toThrow('price "cheap" must be a number')
  await expect(set({ delivery_type: 'sometimes' })).rejects.toThrow('news was not changed')
  await expect(set({ publisher_domain: 'other.example' })).rejects.toThrow('no column that can be set')
  await expect(set({ name: 'x' }, 'sprot')).rejects.toThrow('did you mean "sport"?')
  expect(await exportProducts(operator, agent.tenant)).toEqual(before)
})

it.each(['json', 'csv'] as const)('writes a %s file of many products in steps', (form) => {
  const products = Array.from({ length: 640 }, (_, index) => productDocument(`p${index}`))
  const steps = productFileInSteps({ products }, form)
  for (let count = 1; ; count++) {
    const { done, value } = steps.next()
    if (!done) continue
    expect(count).toBeGreaterThan(20)
    expect(value).toContain(form === 'csv' ? '\r\np639,' : '"p639"')
    return
  }
})

it('of two people who add a product of one id at once, one is refused and nothing of theirs stays', async () => {
  const csv = (name: string) => writeProductFile({ products: [{ ...productDocument('weather'), name }] }, 'csv')
  const add = (name: string) =>
    performAs(operator, agent.tenant, saveProduct, { product: 'weather', csv: csv(name), only_new: true })
  const [first, second] = await Promise.allSettled([add('First'), add('Second')])
  const [added, refused] = first.status === 'fulfilled' ? [first, second] : [second, first]
  expect(added).toMatchObject({ value: { product_id: 'weather', done: 'added' } })
  expect(refused).toMatchObject({ reason: { code: 'CONFLICT', field: 'product' } })
  const { products } = await exportProducts(operator, agent.tenant)
  const stored = products.find(({ product_id: id }) => id === 'weather')
  expect(stored?.name).toBe(first.status === 'fulfilled' ? 'First' : 'Second')
  await expect(performAs(operator, agent.tenant, saveProduct, { product: 'rain', csv: csv('Third') })).rejects.toThrow(
    'the rows are of weather, not of rain',
  )
  expect((await exportProducts(operator, agent.tenant)).products).toEqual(products)
})

it('what any act changed is among the versions of a product', () => {
  const changing = ACTS.filter(({ name, changes, inParts }) => name.startsWith('products.') && changes && !inParts)
  expect(changing.map(({ name }) => name).toSorted()).toEqual(PRODUCT_CHANGES.toSorted())
})

it('the history of a product that never was there is refused, as the product is', async () => {
  const history = (product: string) => performAs(operator, agent.tenant, productHistory, { product })
  await expect(history('nwes')).rejects.toMatchObject({
    ...{ code: 'REFERENCE_NOT_FOUND', field: 'product', message: expect.stringContaining('"news"') },
  })
  expect((await history('sport')).items).toEqual([])
})

it('is in the audit log', async () => {
  await agent.server.audit.settled()
  const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 100 })
  const own = entries.filter(({ subject }) => subject === 'news').map(({ task }) => task)
  expect(own.reverse()).toEqual(['products.archive', 'products.restore', 'products.set', 'products.set'])
})

it.each([',', ';', '\t'])('a price that is read in two ways is refused in tables separated by %j as in cells', async (mark) => {
  const before = await exportProducts(operator, agent.tenant)
  const row = (price: string) =>
    [
      ['product_id', 'pricing_option_id', 'price'],
      ['news', 'cpm', price],
    ]
      .map((cells) => cells.join(mark))
      .join('\n')
  const advice = '1.000 can be read in two ways: write 1000 or 1.0000'
  const save = (csv: string) => performAs(operator, agent.tenant, saveProduct, { product: 'news', csv })
  const load = (csv: string) => performAs(operator, agent.tenant, importProductFile, { csv, dry_run: true })
  for (const refused of [() => set({ price: '1.000' }), () => save(row('1.000')), () => load(row('1.000'))])
    await expect(refused()).rejects.toMatchObject({ message: expect.stringContaining(advice) })
  expect(await exportProducts(operator, agent.tenant)).toEqual(before)
  expect((await load(row('1.0000'))).changed).toMatchObject([{ product_id: 'news' }])
})

const faults = ({ message, issues = [] }: AdcpError) => [message, ...issues.map((each) => each.message)].join('; ')

it('a name of blanks is refused at every door', async () => {
  const [news] = (await exportProducts(operator, agent.tenant)).products
  const document = { version: 1, products: [{ ...news, name: '  ' }] }
  for (const refused of [
    () => set({ name: '  ' }),
    () => set({ description: ' ' }),
    () => set({ name: '\u200b\u2060' }),
    () => performAs(operator, agent.tenant, importProductFile, { document, dry_run: true }),
    () => performAs(operator, agent.tenant, saveProduct, { product: 'news', csv: 'product_id,name\nnews,"  "\n' }),
  ])
    await expect(refused().catch(faults)).resolves.toMatch(/blank|required|nothing that can be seen/)
})
