import { expect, it } from 'vitest'
import { readFeed } from '../../../src/domain/catalog/read-feed.ts'

const shopify = (body_html: string) => JSON.stringify({ products: [{ id: 1 }, { id: 2, body_html }] })

it('a JSON feed with a text longer than any ad is refused by item and member', () => {
  const read = (length: number) => readFeed(shopify('x'.repeat(length)), { type: 'product', feed_format: 'shopify' })
  expect(read(200_000)).toHaveLength(2)
  expect(() => read(200_001)).toThrow('the feed has a text of 200001 characters in item 1, body_html; 200000 are allowed')
})
