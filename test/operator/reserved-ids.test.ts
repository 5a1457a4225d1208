import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { exportProducts } from '../../src/operator/products/import-products.ts'
import { writeProductFile } from '../../src/operator/products/write-product-file.ts'
import { consoleRouteTable } from '../support/console-routes.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent?.stop())

interface Route {
  readonly method: string
  readonly path: string
}

/** Words that stand where another address of the same method has the id of something, by what stands before it. */
function hidden(routes: readonly Route[]): [string, string][] {
  const isHidden = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((part, at) => part === other[at] || part.startsWith('{'))
  const pairs = routes.flatMap(({ method, path }) => {
    const parts = path.split('/')
    return routes.flatMap((other): [string, string][] => {
      const others = other.path.split('/')
      const at = parts.findIndex((part, index) => part.startsWith('{') && part !== others[index])
      const word = others[at] ?? ''
      if (other.method !== method || at < 0 || word.startsWith('{') || !isHidden(parts, others)) return []
      return [[parts.slice(0, at).join('/'), word]]
    })
  })
  return pairs.toSorted((a, b) => (a.join() < b.join() ? -1 : 1))
}

it('where an address has a word in the place of an id, the word is reserved, or no person gives that id', () => {
  expect(hidden(ACTS)).toEqual([
    // Ids of decisions are those of tasks.
    ['/approvals', 'open'],
    ['/approvals', 'policy'],
    ['/products', 'export'],
  ])
  const found = hidden(consoleRouteTable({ elsewhere: true })).map(([area, word]) => [area.replace('/t/{tenant}', ''), word])
  const notGiven = [
    // Invoices are numbered, no id of an order has this character, and an order has these pages beside its acts.
    ...['/billing', '/direct-orders', '/direct-orders/{order}'],
  ]
  const given = found.filter(([area = '']) => !notGiven.includes(area))
  expect([...new Map(given.map((pair) => [pair.join(), pair])).values()]).toEqual([
    ['/placements', 'new'],
    ['/products', 'export.{form}'],
    ['/products', 'import'],
    ['/products', 'new'],
    ['/products', 'seen'],
    ['/settings/ad-servers', 'test'],
  ])
})

async function run(name: string, members: Readonly<Record<string, unknown>>) {
  const act = ACTS.find((each) => each.name === name)
  if (!act) throw new Error(`there is no act ${name}`)
  return performAs(operatorOn(agent.server.store, agent.config), agent.tenant, act, members)
}

it('nothing new gets an id that an address hides', async () => {
  const file = await exportProducts(operatorOn(agent.server.store, agent.config), agent.tenant)
  for (const id of ['new', 'import', 'seen', 'export', 'export.csv']) {
    const message = expect.stringContaining(`"${id}" is no name of a new product: an address of the console`)
    const products = file.products.map((product) => ({ ...product, product_id: id }))
    for (const dry_run of [true, false])
      await expect(run('products.import', { document: { ...file, products }, dry_run })).rejects.toMatchObject({
        ...{ code: 'INVALID_REQUEST', field: 'document', message },
      })
    const csv = writeProductFile({ ...file, products }, 'csv')
    await expect(run('products.save', { product: id, csv })).rejects.toMatchObject({ field: 'product', message })
  }
  await expect(run('placements.save', { placement: 'new', name: 'New', sizes: ['300x250'] })).rejects.toMatchObject({
    ...{ code: 'INVALID_REQUEST', field: 'placement', message: expect.stringContaining('"new" is no name of a new placement') },
  })
  await expect(run('adservers.add', { name: 'test', type: 'manual', products: [] })).rejects.toMatchObject({
    ...{ code: 'INVALID_REQUEST', field: 'name', message: expect.stringContaining('"test" is no name of a new ad server') },
  })
  await run('placements.save', { placement: 'newest', name: 'Newest', sizes: ['300x250'] })
})
