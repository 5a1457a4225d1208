import { cellText, valueAt } from './csv-cells.ts'
import { COLUMNS, type Column } from './csv-columns.ts'
import { sameJson } from './diff-products.ts'
import type { ProductDocument } from './products-file.ts'
import { readCsvRows } from './read-csv.ts'

type Cells = Record<string, string>

/** The header of the CSV form. */
export const csvHeader: readonly string[] = COLUMNS.map((column) => column.name)

/**
 * The CSV form of products: one record a pricing option, product cells on the first. What the columns cannot hold goes whole
 * into `product_json` and `pricing_json`, so that reading the records gives back the same products.
 */
export function csvRecords(products: readonly ProductDocument[]): string[][] {
  return products.flatMap((product) => recordsOf(product).map((cells) => csvHeader.map((name) => cells[name] ?? '')))
}

function recordsOf(product: ProductDocument): Cells[] {
  const { pricing_options, ...fields } = product
  const productCells = cellsOf(fields, 'product')
  const records = pricing_options.map((option, index) => {
    const cells = { product_id: product.product_id, ...(index === 0 ? productCells : {}), ...cellsOf(option, 'option') }
    const read = firstProduct([cells])
    const readOption = Array.isArray(read.pricing_options) ? read.pricing_options[0] : {}
    return withRest(cells, 'pricing_json', rest(option, readOption))
  })
  const read = firstProduct(records)
  const { selling: readSelling, pricing_options: _options, ...readFields } = read
  const { selling, ...official } = fields
  const missing = rest(official, readFields)
  const missingSelling = rest(selling, readSelling)
  const all = Object.keys(missingSelling).length > 0 ? { ...missing, selling: missingSelling } : missing
  return records.map((cells, index) => (index === 0 ? withRest(cells, 'product_json', all) : cells))
}

function firstProduct(records: readonly Cells[]): Record<string, unknown> {
  return readCsvRows(records.map((cells, index) => ({ line: index + 2, cells }))).file.products[0] ?? {}
}

/** Members of `wanted` that reading the cells back does not give. */
function rest(wanted: object, got: unknown): Record<string, unknown> {
  const read = new Map(Object.entries(typeof got === 'object' && got !== null ? got : {}))
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && !sameJson(value, read.get(name))),
  )
}

function withRest(cells: Cells, column: string, fields: Record<string, unknown>): Cells {
  return Object.keys(fields).length > 0 ? { ...cells, [column]: JSON.stringify(fields) } : cells
}

function cellsOf(source: object, scope: Column['scope']): Cells {
  const columns = COLUMNS.filter((column) => column.scope === scope && column.kind !== 'json')
  return Object.fromEntries(
    columns.flatMap((column) => {
      const cell = cellText(valueAt(source, column.at), column)
      return cell === undefined ? [] : [[column.name, cell]]
    }),
  )
}
