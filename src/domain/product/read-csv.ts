import { instead } from '../../protocol/nearest-name.ts'
import { COLUMNS, type Column, columnAt, columnByName } from './csv-columns.ts'
import type { ImportProblem } from './import-products.ts'
import { defaultForecast, defaultReporting } from './product-defaults.ts'
import { type DecimalMark, readNumber } from './read-number.ts'

/** One record of a CSV file: its line, counted from 1 with the header, and its cells by column name. */
export interface CsvRow {
  readonly line: number
  readonly cells: Readonly<Record<string, string>>
}

export interface CsvProblem {
  readonly line: number
  readonly column?: string
  readonly message: string
  readonly productId?: string
}

export interface CsvProducts {
  /** The file in its JSON form, still unchecked but for the cells themselves. */
  readonly file: { readonly version: 1; readonly products: readonly Json[] }
  readonly problems: readonly CsvProblem[]
  /** Puts a problem of the JSON form back to its row and column. */
  locate(problem: ImportProblem): CsvProblem
}

type Json = Record<string, unknown>

interface ProductRows {
  readonly first: CsvRow
  readonly rows: CsvRow[]
}

/** Turns CSV records into the JSON form of the import file and remembers where everything came from. */
export function readCsvRows(rows: readonly CsvRow[], decimal: DecimalMark = '.'): CsvProducts {
  const problems: CsvProblem[] = headerProblems(rows)
  const groups = [...groupRows(rows, problems).values()]
  const products = groups.map((group) => productFrom(group, problems, decimal))
  return { file: { version: 1, products }, problems, locate: (problem) => locate(problem, groups) }
}

function headerProblems(rows: readonly CsvRow[]): CsvProblem[] {
  const names = Object.keys(rows[0]?.cells ?? {})
  if (names.length === 0) return [{ line: 1, message: 'the file holds no rows' }]
  const unknown = names.filter((name) => !columnByName.has(name))
  const absent = COLUMNS.filter((column) => column.required && !names.includes(column.name))
  return [
    ...unknown.map((column) => ({
      line: 1,
      column,
      message: `is not a column of the import format${insteadOf(column)}`,
    })),
    ...absent.map(({ name }) => ({ line: 1, column: name, message: 'is a required column and absent' })),
  ]
}

/** What to write in place of an unknown column. The name that a column has in the protocol is understood, but is not its name here. */
function insteadOf(name: string): string {
  const column = COLUMNS.find(({ at }) => at.at(-1) === name)
  if (column) return `; did you mean "${column.name}"?`
  return instead(name, [...columnByName.keys()], 'sales-agent products columns lists them')
}

/** Rows of one product; product cells of later rows must be empty or say the same. */
function groupRows(rows: readonly CsvRow[], problems: CsvProblem[]): Map<string, ProductRows> {
  const groups = new Map<string, ProductRows>()
  for (const row of rows) {
    const id = row.cells.product_id ?? ''
    if (id === '') problems.push({ line: row.line, column: 'product_id', message: 'must not be empty' })
    const group = groups.get(id)
    if (!group) {
      groups.set(id, { first: row, rows: [row] })
      continue
    }
    group.rows.push(row)
    for (const { name } of COLUMNS.filter((column) => column.scope === 'product')) {
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

function productFrom({ first, rows }: ProductRows, problems: CsvProblem[], decimal: DecimalMark): Json {
  const base = fieldsOf(first, 'product', problems, decimal)
  const options = rows.map((row) => optionFrom(row, problems, decimal))
  const selector = base.publisher_properties
  const columns: Json = {
    ...base,
    ...(Array.isArray(selector) && { publisher_properties: selector.map(withSelectionType) }),
    ...(base.forecast !== undefined && { forecast: { ...defaultForecast(options[0]?.currency), ...asJson(base.forecast) } }),
    reporting_capabilities: defaultReporting,
    pricing_options: options,
  }
  const more = jsonCell(first, 'product_json', problems)
  return { ...columns, ...more, selling: { ...asJson(columns.selling), ...asJson(more.selling) } }
}

function optionFrom(row: CsvRow, problems: CsvProblem[], decimal: DecimalMark): Json {
  const fields = fieldsOf(row, 'option', problems, decimal)
  const basis = fields.fixed_price === undefined ? 'auction' : 'fixed'
  const id = [fields.pricing_model, String(fields.currency ?? '').toLowerCase(), basis].join('_')
  return { pricing_option_id: id, ...fields, ...jsonCell(row, 'pricing_json', problems) }
}

function withSelectionType(selector: unknown): Json {
  const { property_ids, property_tags, ...rest } = asJson(selector)
  if (property_ids !== undefined) return { ...rest, selection_type: 'by_id', property_ids }
  if (property_tags !== undefined) return { ...rest, selection_type: 'by_tag', property_tags }
  return { ...rest, selection_type: 'all' }
}

/** Every filled cell of a scope, placed where its column says. */
function fieldsOf(row: CsvRow, scope: Column['scope'], problems: CsvProblem[], decimal: DecimalMark): Json {
  const target: Json = {}
  for (const column of COLUMNS) {
    const cell = row.cells[column.name] ?? ''
    if (column.scope !== scope || column.kind === 'json' || cell === '') continue
    const value = cellValue(cell, column, decimal)
    if (value === undefined || value === 'ambiguous') {
      problems.push({ line: row.line, column: column.name, message: numberProblem(cell, column, value) })
      continue
    }
    place(target, column.at, value)
  }
  return target
}

function numberProblem(cell: string, { kind }: Column, value: 'ambiguous' | undefined): string {
  if (value === 'ambiguous') return `"${cell}" may be a thousand or a decimal; write it without a separator of thousands`
  return `"${cell}" must be ${kind === 'integer' ? 'a whole number' : 'a number without currency or unit'}`
}

/** The value of a cell as its column takes it; text cells have one always. */
export function cellValue(cell: string, { kind }: Column, decimal: DecimalMark): unknown {
  if (kind === 'list')
    return cell
      .split('|')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  if (kind === 'text') return cell
  return readNumber(cell, { decimal, whole: kind === 'integer' })
}

/** Sets `value` at a path of members; a numeric member makes an array of one. */
export function place(target: Json, [member = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[member] = value
    return
  }
  if (rest[0] === '0') {
    const list = target[member]
    const item = asJson(Array.isArray(list) ? list[0] : undefined)
    place(item, rest.slice(1), value)
    target[member] = [item]
    return
  }
  const child = asJson(target[member])
  place(child, rest, value)
  target[member] = child
}

function jsonCell(row: CsvRow, column: string, problems: CsvProblem[]): Json {
  const cell = row.cells[column] ?? ''
  if (cell === '') return {}
  try {
    const value: unknown = JSON.parse(cell)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return asJson(value)
  } catch {
    // Reported below with its place, which says more than the parser does.
  }
  problems.push({ line: row.line, column, message: 'must be a JSON object' })
  return {}
}

function locate({ pointer, message, productId }: ImportProblem, groups: readonly ProductRows[]): CsvProblem {
  const [, top, index, ...path] = pointer.split('/')
  const group = top === 'products' ? groups[Number(index)] : undefined
  const id = productId === undefined ? {} : { productId }
  if (!group) return { line: 1, message: `${pointer}: ${message}`, ...id }
  if (path[0] === 'pricing_options' && path[1] !== undefined) {
    const row = group.rows[Number(path[1])] ?? group.first
    return { line: row.line, column: columnAt('option', path.slice(2))?.name ?? 'pricing_json', message, ...id }
  }
  return { line: group.first.line, column: columnAt('product', path)?.name ?? 'product_json', message, ...id }
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
