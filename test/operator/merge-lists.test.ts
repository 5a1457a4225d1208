import { expect, it } from 'vitest'
import { mergeLists, type ReadList } from '../../src/operator/order-list/merge-lists.ts'
import { positionsOf, positionsText } from '../../src/operator/orders/read-orders.ts'

type Entry = readonly [value: number, id: string]

/** What a database gives of a list after a position: `limit` rows at most, and those whose id begins with `-` are left out after they were read. */
function read(entries: readonly Entry[], position: { readonly mediaBuyId: string } | undefined, limit: number): ReadList<string> {
  const begin = position ? entries.findIndex(([, id]) => id === position.mediaBuyId) + 1 : 0
  const placed = entries
    .slice(begin, begin + limit)
    .map(([value, id]) => ({ position: { value, mediaBuyId: id }, row: `${value} ${id}` }))
  const after = begin + limit < entries.length ? placed.at(-1)?.position : undefined
  return { rows: placed.filter(({ position: { mediaBuyId } }) => !mediaBuyId.startsWith('-')), after }
}

function pages(lists: readonly (readonly Entry[])[], descending: boolean, limit: number): readonly string[][] {
  const all: string[][] = []
  let cursor: string | undefined
  do {
    const begins = positionsOf(cursor)
    const merged = mergeLists(
      lists.map((entries, list) => read(entries, begins[list], limit)),
      begins,
      { descending, limit },
    )
    all.push([...merged.rows])
    cursor = merged.isMore ? positionsText(merged.positions) : undefined
    expect(all.length).toBeLessThan(50)
  } while (cursor !== undefined)
  return all
}

// Ids as a database sorts them that was set up for English.
const BOUGHT: readonly Entry[] = [
  [1, 'mb_a'],
  [2, '-left-out'],
  [2, 'mb_A'],
  [2, 'mb_b'],
  [2, 'mb_B'],
  [5, '-left-out-too'],
]
const BOOKED: readonly Entry[] = [
  [0, 'Zinc'],
  [2, 'apple'],
  [2, 'B1'],
  [2, 'b-2'],
  [4, 'Cocoa'],
]

it.each([1, 2, 3, 4, 50])('lists are one list by pages of %i, whatever order their databases give ids', (limit) => {
  const ascending = ['0 Zinc', '1 mb_a', '2 mb_A', '2 mb_b', '2 mb_B', '2 apple', '2 B1', '2 b-2', '4 Cocoa']
  expect(pages([BOUGHT, BOOKED], false, limit).flat()).toEqual(ascending)
  const descending = ['4 Cocoa', '2 mb_B', '2 mb_b', '2 mb_A', '2 b-2', '2 B1', '2 apple', '1 mb_a', '0 Zinc']
  expect(pages([BOUGHT.toReversed(), BOOKED.toReversed()], true, limit).flat()).toEqual(descending)
})

it('no page has more rows than were asked for, and one that holds all is the last', () => {
  expect(pages([BOUGHT, BOOKED], false, 2).every((rows) => rows.length <= 2)).toBe(true)
  expect(pages([BOUGHT, BOOKED], false, 9)).toHaveLength(1)
  expect(pages([[], []], false, 2)).toEqual([[]])
})
