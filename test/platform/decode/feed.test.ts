import { expect, it } from 'vitest'
import { feedItems } from '../../../src/domain/catalog/read-feed.ts'
import { decode } from '../../../src/platform/decode/decode.ts'

const shopify = (body_html: string) => JSON.stringify({ products: [{ id: 1 }, { id: 2, body_html }] })
const read = async (text: string) =>
  (await decode('feed', { bytes: Buffer.from(text) })).flatMap((part) => feedItems(part, { feed_format: 'shopify' }))

it('a JSON feed with a text longer than any ad is refused by item and member', async () => {
  expect(await read(shopify('x'.repeat(200_000)))).toHaveLength(2)
  await expect(read(shopify('x'.repeat(200_001)))).rejects.toMatchObject({
    limit: 'size',
    message: 'has a text of 200001 characters in item 1, body_html; 200000 are allowed',
  })
})

it('a feed of more items than are read is refused with what is allowed, in every syntax', async () => {
  const size = { limit: 'size', message: expect.stringContaining('; 100000 are allowed') }
  await expect(read(`[${Array(100_001).fill('{}').join()}]`)).rejects.toMatchObject(size)
  await expect(read(`a,b\n${'1,2\n'.repeat(200_000)}`)).rejects.toMatchObject(size)
  await expect(read(`<r>${'<item><a>1</a></item>'.repeat(100_001)}</r>`)).rejects.toMatchObject(size)
})

it('nested elements and records without an end are refused', async () => {
  await expect(read(`<r>${'<a>'.repeat(100_000)}`)).rejects.toMatchObject({ limit: 'content' })
  await expect(read(`a\n"${'x'.repeat(1_000_000)}`)).rejects.toMatchObject({ limit: 'content' })
})
