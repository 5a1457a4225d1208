import { expect, it } from 'vitest'
import { judgedFile, parseProductsFile } from '../../../src/domain/product/import-products.ts'
import type { ProductDocument } from '../../../src/domain/product/products-file.ts'
import { type CurrentProducts, csvProducts, readCsvRows } from '../../../src/domain/product/read-csv.ts'
import { csvHeader } from '../../../src/domain/product/write-csv.ts'
import { productImport } from '../../support/shared-inputs.ts'

const empty = Object.fromEntries(csvHeader.map((name) => [name, '']))
const rows = (count: number, cells: Readonly<Record<string, string>>) =>
  Array.from({ length: count }, (_, index) => ({ line: index + 2, cells: { ...empty, product_id: `p${index}`, ...cells } }))

it('ends the search for problems of a table after some hundred', () => {
  const { problems } = readCsvRows(rows(5_000, { price: 'ten', daily_capacity: 'many' }))
  expect(problems.length).toBeGreaterThan(500)
  expect(problems.length).toBeLessThan(510)
})

const FORMATTED = {
  ...{ name: 'Name', description: 'Text', channels: 'display', delivery_type: 'guaranteed', format_ids: 'none_such' },
  ...{ publisher_domain: 'a.example', daily_capacity: '1000', pricing_model: 'cpm', currency: 'USD', price: '10' },
}

it('ends the search for references that lead nowhere after some hundred products', () => {
  const { file, problems } = readCsvRows(rows(2_000, FORMATTED))
  expect(problems).toEqual([])
  const result = parseProductsFile(file, productImport)
  expect(result.ok ? 0 : result.problems.length).toBe(501)
})

it('gives way between the prices of one product', () => {
  const prices = rows(1_000, FORMATTED).map(({ line, cells }) => ({
    line,
    cells: { ...cells, product_id: 'one', pricing_option_id: cells.product_id },
  }))
  const { file } = readCsvRows(prices)
  let steps = 0
  for (const _step of judgedFile(file, productImport)) steps += 1
  expect(steps).toBeGreaterThan(2_000)
})

it('gives way between rows and between products', () => {
  let steps = 0
  for (const _step of csvProducts(rows(1_000, { price: '1' }))) steps += 1
  expect(steps).toBe(3_000)
})

it('looks for prices that were meant so often for a whole table, as a call of a buyer does', () => {
  const prices = Array.from({ length: 2_000 }, (_, index) => ({ pricing_option_id: `price_${index}_of_many`, currency: 'USD' }))
  const ids = Array.from({ length: 30 }, (_, index) => `p${index}`)
  const current: CurrentProducts = new Map(
    ids.map((id) => [id, { product_id: id, pricing_options: prices } as unknown as ProductDocument]),
  )
  const named = ids.map((id, index) => ({
    line: index + 2,
    cells: { product_id: id, pricing_option_id: `price_${index}_of_mamy` },
  }))
  const { problems } = readCsvRows(named, current)
  expect(problems).toHaveLength(ids.length)
  expect(problems[0]?.message).toContain('did you mean "price_0_of_many"')
  expect(problems.at(-1)?.message).toMatch(/^"price_29_of_mamy" is no price of this product; it has /)
})
