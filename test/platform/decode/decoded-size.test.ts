import { expect, it } from 'vitest'
import { decodedSize, inGroups } from '../../../src/platform/decode/decoded-size.ts'

async function* times<T>(count: number, item: T): AsyncGenerator<T> {
  for (let at = 0; at < count; at += 1) yield item
}

async function groupsOf(items: AsyncIterable<unknown>): Promise<number[]> {
  const sizes: number[] = []
  for await (const group of inGroups(items)) sizes.push(group.length)
  return sizes
}

it('the size of a value counts names, texts and bytes on all levels, and a text each time that it is referred to', () => {
  const text = 'x'.repeat(100)
  expect(decodedSize({ ab: [text, text, 1], c: new Uint8Array(7) }, 100)).toEqual({ values: 5, characters: 210 })
  expect(decodedSize('plain', 100)).toEqual({ values: 0, characters: 5 })
})

it('items are sent in groups that are small in number, values and characters', async () => {
  expect(await groupsOf(times(2_500, 'x'))).toEqual([1_000, 1_000, 500])
  expect(await groupsOf(times(5, Array(9_000).fill(1)))).toEqual([2, 2, 1])
  expect(await groupsOf(times(5, 'x'.repeat(400_000)))).toEqual([2, 2, 1])
  expect(await groupsOf(times(2, 'x'.repeat(3_000_000)))).toEqual([1, 1])
})

it('whatever a decoder gives, an item and a document are bounded before they are sent', async () => {
  const size = (message: string) => ({ limit: 'size', message: expect.stringContaining(message) })
  await expect(groupsOf(times(1, 'x'.repeat(24_000_001)))).rejects.toMatchObject(
    size('has a part with more than 24000000 characters'),
  )
  await expect(groupsOf(times(1, Array(600_000).fill(0)))).rejects.toMatchObject(size('has a part with more than 500000 values'))
  const text = 'x'.repeat(100_000)
  await expect(groupsOf(times(100, Array(10).fill(text)))).rejects.toMatchObject(size('comes to more than 50000000 characters'))
})
