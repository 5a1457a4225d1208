import { expect, it } from 'vitest'
import { fittingRows, PAGE_BYTES, partsOfSize } from '../../src/store/page-size.ts'

const half = PAGE_BYTES / 2

it('a page has the rows whose documents fit, and the first one always', () => {
  expect(fittingRows([])).toBe(0)
  expect(fittingRows([half, String(half), 1])).toBe(2)
  expect(fittingRows([PAGE_BYTES * 4, 1])).toBe(1)
  expect(fittingRows([1, PAGE_BYTES * 4, 1])).toBe(1)
  expect(fittingRows([1, 2, 3])).toBe(3)
})

it('rows are read in parts, in their order, and none is left out', () => {
  expect(partsOfSize([half, half, 1, PAGE_BYTES * 4, 1, 1], (bytes) => bytes)).toEqual([
    [half, half],
    [1],
    [PAGE_BYTES * 4],
    [1, 1],
  ])
  expect(partsOfSize([], Number)).toEqual([])
})
