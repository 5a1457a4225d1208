import { expect, it } from 'vitest'
import { decode } from '../../../src/platform/decode/decode.ts'
import { writtenSheet } from '../../../src/platform/decode/written-file.ts'
import { workbook } from '../../support/workbook.ts'

const feedOf = (products: number) =>
  Buffer.from(
    JSON.stringify({
      products: Array.from({ length: products }, (_, id) => ({ id, title: `product ${id}`, body_html: '<p>x</p>'.repeat(40) })),
    }),
  )

it('one large document is decoded at a time, and small ones beside it', async () => {
  const order: string[] = []
  const read = async (name: string, products: number) => {
    await decode('feed', { bytes: feedOf(products) })
    order.push(name)
  }
  // Both threads are there.
  await Promise.all([read('first', 1), read('first', 1)])
  await Promise.all([read('large', 4_000), read('large', 4_000), read('small', 1)])
  expect(order).toEqual(['first', 'first', 'small', 'large', 'large'])
})

it('more large documents than may wait are refused, and those that wait are read', async () => {
  const read = () =>
    decode('feed', { bytes: feedOf(1_000) }).then(
      () => 'read',
      (error) => error.limit,
    )
  const outcomes = await Promise.all(Array.from({ length: 12 }, read))
  expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(9)
  expect(outcomes.filter((outcome) => outcome === 'queue')).toHaveLength(3)
})

it('one buyer has all threads but one at most, and those of the publisher come before buyers', async () => {
  const order: string[] = []
  const read = async (name: string, decoding: Promise<unknown>) => {
    await decoding
    order.push(name)
  }
  const small = (name: string, buyer?: string) => read(name, decode('feed', { bytes: feedOf(1) }, buyer))
  // Small when it is sent, and takes many times as long to read as a small feed.
  const slow = workbook(Array.from({ length: 8_000 }, () => ['x', 'y']))
  // Both threads are there: a thread that starts takes as long as a workbook on a busy machine.
  await Promise.all([small('first'), small('first')])
  const flood = Array.from({ length: 4 }, (_, at) => read(`a${at}`, decode('workbook', { bytes: slow }, 'a')))
  await Promise.all([...flood, small('b', 'b'), small('own')])
  expect(order.indexOf('b')).toBeLessThan(order.indexOf('a1'))
  expect(order.indexOf('own')).toBeLessThan(order.indexOf('a1'))
})

it('a large file is written one at a time, as large ones are read', async () => {
  const order: string[] = []
  const write = async (name: string, rows: number) => {
    await writtenSheet({ sheet: 'a', headings: ['x'], rows: Array.from({ length: rows }, (_, row) => ['text'.repeat(10), row]) })
    order.push(name)
  }
  await Promise.all([write('first', 1), write('first', 1)])
  await Promise.all([write('large', 20_000), write('large', 20_000), write('small', 1)])
  expect(order).toEqual(['first', 'first', 'small', 'large', 'large'])
})
