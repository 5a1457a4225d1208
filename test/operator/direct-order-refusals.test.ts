import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(() => agent?.stop())

async function run(name: string, members: Readonly<Record<string, unknown>>) {
  const act = ACTS.find((each) => each.name === name)
  if (!act) throw new Error(`there is no act ${name}`)
  return performAs(operatorOn(agent.server.store, agent.config), agent.tenant, act, members)
}

const order = (line: object) => ({
  ...{ order_id: 'spring', name: 'Spring sale', advertiser: 'Brand', currency: 'USD' },
  lines: [
    {
      ...{ line_id: 'line-1', product_id: 'news', priority: 'standard' },
      ...{ starts_at: '2099-03-02T00:00:00Z', ends_at: '2099-03-09T00:00:00Z' },
      ...line,
    },
  ],
})

it.each([
  ['cpm', { cpm: 1.2345678 }],
  ['rate', { price_model: 'cpc', rate: 0.0000001 }],
  ['budget', { cpm: 1, budget: 100.0000001 }],
])('a direct order has no %s finer than products have, which could not be charged as it is stated', async (name, line) => {
  for (const act of ['direct-orders.put', 'direct-orders.preview'])
    await expect(run(act, { document: order(line) })).rejects.toMatchObject({
      ...{ code: 'INVALID_REQUEST', field: 'document' },
      issues: [{ pointer: `/lines/0/${name}`, message: 'must be a number from 0 with at most 6 decimal places' }],
    })
  await run('direct-orders.preview', { document: order({ cpm: 1.234567 }) })
})

it('a document of a request is named by its member, not as a file, and its places have no lines', async () => {
  const wrong = { ...order({ cpm: 1 }), nmae: 'a slip' }
  const refused = run('direct-orders.put', { document: wrong })
  await expect(refused).rejects.toMatchObject({
    field: 'document',
    message: expect.stringMatching(/^document was not imported; 1 to repair:\n {2}\/nmae: /),
  })
  for (const act of ['signals.import', 'brands.import', 'formats.import', 'products.import'])
    await expect(run(act, { document: { version: 9 } })).rejects.toMatchObject({
      message: expect.stringMatching(/^document was not imported; \d+ to repair:\n {2}\//),
    })
  const csv = 'product_id,name\nnews,\n'
  await expect(run('products.import', { csv })).rejects.toMatchObject({
    field: 'csv',
    message: expect.stringMatching(/^csv was not imported; \d+ to repair:\n {2}line 2, column name: /),
  })
})
