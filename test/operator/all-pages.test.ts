import { expect, it } from 'vitest'
import { allPages } from '../../src/operator/all-pages.ts'

/** Pages of three numbers up to `last`, and the cursors that were asked for. */
function pages(last: number) {
  const asked: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    asked.push(cursor)
    const first = Number(cursor ?? 1)
    const items = [first, first + 1, first + 2].filter((each) => each <= last)
    return { items, next_cursor: first + 3 <= last ? String(first + 3) : null }
  }
  return { asked, read }
}

it('reads every page in order, and one page where there is no more', async () => {
  const { read, asked } = pages(8)
  expect(await allPages(read)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(asked).toEqual([undefined, '4', '7'])
  expect(await allPages(pages(2).read)).toEqual([1, 2])
  expect(await allPages(pages(0).read)).toEqual([])
})

it('takes as many rows as may be, and reads no further than the first page that has more', async () => {
  expect(await allPages(pages(6).read, 6)).toHaveLength(6)
  const { read, asked } = pages(90)
  await expect(allPages(read, 5)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'more than 5 rows fit; narrow the filter, e.g. by days or a status',
  })
  expect(asked).toHaveLength(2)
})
