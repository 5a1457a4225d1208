import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeListed } from '../../../src/tasks/media-buy/listing-summary.ts'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const bound = productDocument('nordic', {}, { coverage: { countries: ['SE', 'NO'] } })
  agent = await startMediaBuyAgent([productDocument('news'), bound], { contracts })
}, 120_000)
afterAll(() => agent?.stop())

describe.each(LINES)('a product that is bound to no place, under AdCP %s', (line) => {
  test('says in its row that it runs anywhere, in data and text', async () => {
    const { data } = await agent.buyer.call('get_products', { adcp_version: line, buying_mode: 'wholesale' })
    const reaches = Object.fromEntries(
      data.products.map(({ product_id: id, ext }: { product_id: string; ext: { reach: object } }) => [id, ext.reach]),
    )
    expect(reaches).toEqual({ news: { anywhere: true }, nordic: { countries: ['SE', 'NO'] } })
    expect(summarizeProducts(data)).toMatch(/- news: .*; runs anywhere; formats /)
    expect(summarizeProducts(data)).toMatch(/- nordic: .*; SE NO; formats /)
  })
})

test.runIf(LINES.includes('3.2'))('so does list_products', async () => {
  const { data } = await agent.buyer.call('list_products', { adcp_version: '3.2' })
  expect(data.products.map(({ ext }: { ext: { reach: object } }) => ext.reach)).toContainEqual({ anywhere: true })
  expect(summarizeListed(data)).toMatch(/- news: .*; runs anywhere/)
})
