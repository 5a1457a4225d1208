import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import { instead, NameSearch, nearestName, quoted } from '../../protocol/nearest-name.ts'
import { MOST_PROBLEMS } from './check-products-file.ts'
import { asJson, type CellReader, type CsvProblem, type CsvRow, fieldsOf, type Json, jsonCell } from './csv-cells.ts'
import { COLUMNS, columnAt, columnByName, missingColumns } from './csv-columns.ts'
import { fieldsOfOption, withSelectionType } from './csv-options.ts'
import type { ImportProblem } from './import-products.ts'
import { type MergedProduct, mergeRows, type ProductRows } from './merge-rows.ts'
import { defaultForecast, defaultReporting } from './product-defaults.ts'
import type { ProductDocument } from './products-file.ts'

export interface CsvProducts {
  /** The file in its JSON form, still unchecked but for the cells themselves. */
  readonly file: { readonly version: 1; readonly products: readonly Json[] }
  readonly problems: readonly CsvProblem[]
  /** Puts a problem of the JSON form back to its row and column. */
  locate(problem: ImportProblem): CsvProblem
  /** Whether the product at a position is new, so that its rows have to hold all of it. */
  isWhole(index: number): boolean
}

/**
 * Turns CSV records into the JSON form of the import file and remembers where everything came from. Rows of a product of `current` change it; all others
 * have to hold a whole product. A step is a row or a product.
 */
export function* csvProducts(rows: readonly CsvRow[], current: CurrentProducts = new Map()): Steps<CsvProducts> {
  const problems: CsvProblem[] = []
  const names = Object.keys(rows[0]?.cells ?? {})
  if (names.length > 0 && !names.some((name) => columnByName.has(name)))
    return { ...NO_PRODUCTS, problems: [{ line: 1, message: noHeadings(names) }] }
  const reader = { problems, names: new NameSearch() }
  const groups = yield* groupRows(rows, problems)
  const read: ReadProduct[] = []
  for (const [id, group] of groups) {
    // Who has to correct so many looks at no more of them.
    if (problems.length > MOST_PROBLEMS) break
    const document = current.get(id)
    read.push(
      document
        ? { group, ...mergeRows(document, group, reader) }
        : { group, product: yield* productFrom(group, reader), rowOfOption: (index) => group.rows[index] },
    )
    yield
  }
  problems.unshift(...headerProblems(rows), ...absentColumns(rows, groups, current))
  const isWhole = (index: number) => !current.has(String(read[index]?.product.product_id))
  const file = { version: 1 as const, products: read.map(({ product }) => product) }
  return { file, problems, locate: (problem) => locate(problem, read), isWhole }
}

const NO_PRODUCTS: Omit<CsvProducts, 'problems'> = {
  file: { version: 1, products: [] },
  locate: (problem) => locate(problem, []),
  isWhole: () => true,
}

/** The same at once, for tables of a few rows. */
export function readCsvRows(rows: readonly CsvRow[], current?: CurrentProducts): CsvProducts {
  return atOnce(csvProducts(rows, current))
}

/** Products that exist, by id. */
export type CurrentProducts = ReadonlyMap<string, ProductDocument>

interface ReadProduct extends MergedProduct {
  readonly group: ProductRows
}

function headerProblems(rows: readonly CsvRow[]): CsvProblem[] {
  const names = Object.keys(rows[0]?.cells ?? {})
  if (names.length === 0) return [{ line: 1, message: 'the file holds no rows below its headings' }]
  const unknown = names.filter((name) => !columnByName.has(name))
  const search = new NameSearch()
  return unknown.map((column) => ({
    line: 1,
    column,
    message: `is not a column of the import format${insteadOf(column, search)}`,
  }))
}

/** A file whose first line is a product, or one of another table. */
function noHeadings(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `"${name.slice(0, 40)}"`)
  return `has to name columns of the import format, and ${shown.join(', ')} are none; write their names above the products (sales-agent products columns lists them)`
}

/** New products whose rows are looked at for an id that was meant; more are a table of new products. */
const MAX_COMPARED = 50

/** What a table lacks for the products that do not exist: said once where none of them does, else for each. */
function absentColumns(
  rows: readonly CsvRow[],
  groups: ReadonlyMap<string, ProductRows>,
  current: CurrentProducts,
): CsvProblem[] {
  const names = Object.keys(rows[0]?.cells ?? {})
  const absent = names.length === 0 ? [] : missingColumns(names)
  const fresh = [...groups].filter(([id]) => !current.has(id))
  if (absent.length === 0 || fresh.length === 0) return []
  if (fresh.length === groups.size || absent.includes('product_id'))
    return absent.map((name) => ({ line: 1, column: name, message: 'is a required column and absent' }))
  const search = new NameSearch()
  return fresh
    .filter(([id]) => id !== '')
    .slice(0, MOST_PROBLEMS)
    .map(([id, { first }], index) => {
      const near = index < MAX_COMPARED ? nearestName(id, current.keys(), search) : undefined
      const meant = near === undefined ? '' : `; did you mean "${near}"?`
      const message = `there is no product ${quoted(id)}${meant || ';'} a new one also needs ${listed('column', absent)}`
      return { line: first.line, column: 'product_id', productId: id, message }
    })
}

function listed(what: string, names: readonly string[]): string {
  return `the ${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
}

/** What to write in place of an unknown column. The name that a column has in the protocol is understood, but is not its name here. */
function insteadOf(name: string, search: NameSearch): string {
  const column = COLUMNS.find(({ at }) => at.at(-1) === name)
  if (column) return `; did you mean "${column.name}"?`
  return instead(name, [...columnByName.keys()], 'sales-agent products columns lists them', search)
}

const PRODUCT_COLUMNS = COLUMNS.filter(({ scope }) => scope === 'product')

/** Rows of one product; product cells of later rows must be empty or say the same. */
function* groupRows(rows: readonly CsvRow[], problems: CsvProblem[]): Steps<Map<string, ProductRows>> {
  const groups = new Map<string, ProductRows>()
  for (const row of rows) {
    yield
    if (problems.length > MOST_PROBLEMS) break
    const id = row.cells.product_id ?? ''
    if (id === '') problems.push({ line: row.line, column: 'product_id', message: 'must not be empty' })
    const group = groups.get(id)
    if (!group) {
      groups.set(id, { first: row, rows: [row] })
      continue
    }
    group.rows.push(row)
    for (const { name } of PRODUCT_COLUMNS) {
      const cell = row.cells[name] ?? ''
      if (cell !== '' && cell !== group.first.cells[name]) {
        problems.push({
          line: row.line,
          column: name,
          message: `differs from line ${group.first.line} of the same product`,
          productId: id,
        })
      }
    }
  }
  return groups
}

function* productFrom({ first, rows }: ProductRows, reader: CellReader): Steps<Json> {
  const base = fieldsOf(first, 'product', reader)
  const options: Json[] = []
  for (const row of rows) {
    options.push(fieldsOfOption(row, reader))
    yield
  }
  const selector = base.publisher_properties
  const columns: Json = {
    ...base,
    ...(Array.isArray(selector) && { publisher_properties: selector.map(withSelectionType) }),
    ...(base.forecast !== undefined && { forecast: { ...defaultForecast(options[0]?.currency), ...asJson(base.forecast) } }),
    reporting_capabilities: defaultReporting,
    pricing_options: options,
  }
  const more = jsonCell(first, 'product_json', reader)
  return { ...columns, ...more, selling: { ...asJson(columns.selling), ...asJson(more.selling) } }
}

function locate({ pointer, message, productId }: ImportProblem, products: readonly ReadProduct[]): CsvProblem {
  const [, top, index, ...path] = pointer.split('/')
  const product = top === 'products' ? products[Number(index)] : undefined
  const id = productId === undefined ? {} : { productId }
  if (!product) return { line: 1, message: `${pointer}: ${message}`, ...id }
  if (path[0] === 'pricing_options' && path[1] !== undefined) {
    const row = product.rowOfOption(Number(path[1])) ?? product.group.first
    const column = columnAt('option', path.slice(2), row.cells.pricing_model)
    const needed = message === 'is required' && column?.model !== undefined ? `${message} (${column.description})` : message
    return { line: row.line, column: column?.name ?? 'pricing_json', message: needed, ...id }
  }
  return { line: product.group.first.line, column: columnAt('product', path)?.name ?? 'product_json', message, ...id }
}
