import { instead, quoted } from '../../protocol/nearest-name.ts'
import { asJson, type CellReader, type CsvRow, type Json, jsonCell } from './csv-cells.ts'
import { COLUMNS } from './csv-columns.ts'
import { fieldsOfOption } from './csv-options.ts'
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
  const prices: MergedPrices = { options: before.map(asJson), rowOf: new Map() }
  const productId = String(product.product_id)
  const naming = rows.filter(({ cells }) => OPTION_COLUMNS.some((name) => (cells[name] ?? '') !== ''))
  for (const row of naming) {
    const found = findPrice(prices, row, naming.length === 1)
    if (typeof found === 'object') {
      reader.problems.push({ line: row.line, ...found, productId })
      continue
    }
    prices.rowOf.set(found, row)
    const option = prices.options[found]
    prices.options[found] = option ? changedOption(option, row, { ...reader, productId }) : fieldsOfOption(row, reader)
  }
  return prices
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

interface PriceProblem {
  readonly column: string
  readonly message: string
}

/** The position of the price that a row is about; the one after the last for a new price. */
function findPrice({ options, rowOf }: MergedPrices, row: CsvRow, isAlone: boolean): number | PriceProblem {
  const { pricing_option_id: id = '', pricing_model: model = '', currency = '' } = row.cells
  const fresh = model !== '' && currency !== '' ? options.length : undefined
  const ids = options.map((option) => String(option.pricing_option_id))
  const named = ids.indexOf(id === '' ? defaultId(row) : id)
  const before = rowOf.get(named)
  if (before) return { column: 'pricing_option_id', message: `"${ids[named]}" has a row already, line ${before.line}` }
  if (named !== -1) return named
  if (id !== '') {
    return (
      fresh ?? {
        column: 'pricing_option_id',
        message: `${quoted(id)} is no price of this product${instead(id, ids, `it has ${ids.join(', ')}`)}`,
      }
    )
  }
  const alike = [...options.keys()].filter((index) => !rowOf.has(index) && isAlike(options[index] ?? {}, { model, currency }))
  const ofKind = alike.filter(
    (index) => kindOfPrice(row) === undefined || kindOfPrice(row) === 'fixed_price' in (options[index] ?? {}),
  )
  const [only, ...others] = ofKind.length > 0 || !isAlone ? ofKind : alike
  if (only !== undefined && others.length === 0) return only
  if (only === undefined) return fresh ?? { column: 'currency', message: missingPrice(ids) }
  return { column: 'pricing_option_id', message: `must say which price the row is about: ${ids.join(', ')}` }
}

function missingPrice(ids: readonly string[]): string {
  return `the product has no such price, it has ${ids.join(', ')}; a new one needs pricing_model and currency`
}

function isAlike({ pricing_model, currency }: Json, asked: { readonly model: string; readonly currency: string }): boolean {
  return (asked.model === '' || asked.model === pricing_model) && (asked.currency === '' || asked.currency === currency)
}

/** Whether a row gives a fixed price (true) or a floor (false); undefined when it gives neither. */
function kindOfPrice({ cells }: CsvRow): boolean | undefined {
  if ((cells.price ?? '') !== '') return true
  return (cells.floor ?? '') === '' ? undefined : false
}

function defaultId(row: CsvRow): string {
  const { pricing_model: model = '', currency = '' } = row.cells
  return [model, currency.toLowerCase(), kindOfPrice(row) ? 'fixed' : 'auction'].join('_')
}
