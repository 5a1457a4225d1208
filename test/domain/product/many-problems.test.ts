import { expect, it } from 'vitest'
import { csvProducts, readCsvRows } from '../../../src/domain/product/read-csv.ts'
import { csvHeader } from '../../../src/domain/product/write-csv.ts'

const empty = Object.fromEntries(csvHeader.map((name) => [name, '']))
const rows = (count: number, cells: Readonly<Record<string, string>>) =>
  Array.from({ length: count }, (_, index) => ({ line: index + 2, cells: { ...empty, product_id: `p${index}`, ...cells } }))

it('ends the search for problems of a table after some hundred', () => {
  const { problems } = readCsvRows(rows(5_000, { price: 'ten', daily_capacity: 'many' }))
  expect(problems.length).toBeGreaterThan(500)
  expect(problems.length).toBeLessThan(510)
})

it('gives way between rows and between products', () => {
  let steps = 0
  for (const _step of csvProducts(rows(1_000, { price: '1' }))) steps += 1
  expect(steps).toBe(3_000)
})
