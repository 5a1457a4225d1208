import { asJson, type CellReader, type CsvRow, type Json, jsonCell } from './csv-cells.ts'
import { COLUMNS } from './csv-columns.ts'
import { fieldsOfOption } from './csv-options.ts'
import { PriceFinder } from './price-finder.ts'
import { setCells } from './set-cells.ts'

const OPTION_COLUMNS = COLUMNS.filter(({ scope }) => scope === 'option').map(({ name }) => name)

/** The prices of a product, and the row that each was changed or added by. */
export interface MergedPrices {
  readonly options: Json[]
  readonly rowOf: Map<number, CsvRow>
}

/** The prices of a product with what the rows of a table say of them: they change, new ones are added, and those that no row names stay. */
export function mergePrices(product: Json, rows: readonly CsvRow[], reader: CellReader): MergedPrices {
  const before: readonly unknown[] = Array.isArray(product.pricing_options) ? product.pricing_options : []
  const prices = new PriceFinder(before.map(asJson), reader.names)
  const productId = String(product.product_id)
  const naming = rows.filter(({ cells }) => OPTION_COLUMNS.some((name) => (cells[name] ?? '') !== ''))
  for (const row of naming) {
    const found = prices.find(row, naming.length === 1)
    if (typeof found === 'object') {
      reader.problems.push({ line: row.line, ...found, productId })
      continue
    }
    const option = prices.options[found]
    prices.set(found, option ? changedOption(option, row, { ...reader, productId }) : fieldsOfOption(row, reader), row)
  }
  return { options: prices.options, rowOf: prices.rowOf }
}

function changedOption(option: Json, row: CsvRow, { productId, ...reader }: CellReader & { readonly productId: string }): Json {
  const { fixed_price: price } = option
  const next = structuredClone(option)
  const { pricing_option_id: _id, ...cells } = row.cells
  setCells(next, { ...row, cells }, 'option', reader)
  const changed = { ...next, ...jsonCell(row, 'pricing_json', reader) }
  if (price !== undefined && changed.fixed_price === undefined && changed.floor_price === undefined && row.cells.price === '') {
    const message = `is empty, and the price is ${String(price)} now; write a price, leave out the row, or sell by auction with a floor`
    reader.problems.push({ line: row.line, column: 'price', message, productId })
  }
  return changed
}
