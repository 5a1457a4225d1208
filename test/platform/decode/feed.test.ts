import { expect, it } from 'vitest'
import { feedItems } from '../../../src/domain/catalog/read-feed.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'
import { decode } from '../../../src/platform/decode/decode.ts'
import { inGroups } from '../../../src/platform/decode/decoded-size.ts'

const shopify = (body_html: string) => JSON.stringify({ products: [{ id: 1 }, { id: 2, body_html }] })
const read = async (text: string) =>
  atOnce(feedItems(await decode('feed', { bytes: Buffer.from(text) }), { feed_format: 'shopify' }))

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

it('the texts of a product count for each of its variants, and are no copies', async () => {
  const product = (variants: number, length: number) =>
    JSON.stringify({
      products: [{ id: 1, body_html: 'x'.repeat(length), variants: Array.from({ length: variants }, (_, id) => ({ id })) }],
    })
  expect(await read(product(60, 199_000))).toHaveLength(60)
  await expect(read(product(61, 199_000))).rejects.toThrow('the feed has items of more than 12000000 characters in all')
  const many = JSON.stringify({ products: Array.from({ length: 11 }, () => JSON.parse(product(10_000, 1)).products[0]) })
  await expect(read(many)).rejects.toThrow('the feed has more than 100000 items')
})

it('a record with more values than a product has is refused, and others come in parts that are small', async () => {
  await expect(read(JSON.stringify([{ x: Array(60_000).fill({}) }]))).rejects.toMatchObject({
    limit: 'size',
    message: expect.stringContaining('has an item with more than 50000 values, item 0'),
  })
  const rich = JSON.stringify(Array.from({ length: 400 }, () => ({ x: Array(997).fill(1) })))
  const sizes: number[] = []
  for await (const group of inGroups(decoded(await decode('feed', { bytes: Buffer.from(rich) })))) sizes.push(group.length)
  expect(sizes).toEqual(Array(20).fill(20))
})

async function* decoded<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

it('a heading is no cost of each record: columns and their names are bounded, and short rows are read at once', async () => {
  const rows = 'a,b\n'.repeat(15_000)
  expect(await read(`${Array.from({ length: 1_000 }, (_, at) => `c${at}`).join()}\n${rows}`)).toHaveLength(15_000)
  await expect(read(`${'h,'.repeat(95_000)}\n${rows}`)).rejects.toMatchObject({
    limit: 'size',
    message: expect.stringContaining('has 95001 columns; 1000 are allowed'),
  })
  await expect(read(`id,${'h'.repeat(190_000)}\n${rows}`)).rejects.toMatchObject({
    message: 'has a heading of 190000 characters in column 2; 200 are allowed',
  })
}, 15_000)

it('cells of delimited text go by their headings: empty ones and those beyond the headings are left out', async () => {
  expect(await read('g:id; title;x\n1;"a;b";\n2\n3;c;d;e\n')).toEqual([
    { id: '1', title: 'a;b' },
    { id: '2' },
    { id: '3', title: 'c', x: 'd' },
  ])
})

it('rules for fields are bounded, and an item is made in time linear to them', () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({ value: 'v', asset_group_id: 'g' }))
  const items = (count: number) =>
    atOnce(feedItems([{ syntax: 'json', record: { assets: [1] } }], { feed_field_mappings: rules(count) }))
  expect(items(200)[0]?.assets).toHaveLength(201)
  const deep = Array(20_000).fill({})
  const copied = Array.from({ length: 100 }, (_, at) => ({ feed_field: 'x', catalog_field: `c${at}` }))
  const grown = () => atOnce(feedItems([{ syntax: 'json', record: { x: deep } }], { feed_field_mappings: copied }))
  expect(grown).toThrow('the feed has an item of more than 1000000 characters and values')
  expect(() => items(201)).toThrow('feed_field_mappings has 201 entries; at most 200 are accepted')
})
