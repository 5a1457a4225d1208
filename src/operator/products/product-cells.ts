import { cellValue, place } from '../../domain/product/csv-cells.ts'
import { type Column, columnByName } from '../../domain/product/csv-columns.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { twoReadings } from '../../platform/decode/read-number.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'

/** A change of some values of a product. */
export interface ProductChange {
  readonly product: string
  /** Cells by the names of the columns of the CSV form; an empty cell takes the value away. */
  readonly cells: Readonly<Record<string, string>>
  /** The price that option columns are about; not needed where there is one. */
  readonly pricing_option_id?: string | undefined
  /** What cells were when the person saw them; a cell that has changed since is a CONFLICT. */
  readonly expected?: Readonly<Record<string, string>> | undefined
}

/**
 * The product with the cells of a change in place, not yet checked as an import checks it. Throws INVALID_REQUEST for unknown columns and values of another kind, CONFLICT
 * when a cell is no longer as expected.
 */
export function withCells(product: ProductDocument, change: ProductChange): object {
  const columns = Object.entries(change.cells).map(([name, cell]) => ({ column: columnOf(name), cell }))
  if (change.expected !== undefined) requireUnchanged(product, change.expected, change)
  return changed(product, columns, change)
}

/** Another person may have changed a value since this one saw it. Throws CONFLICT. */
function requireUnchanged(product: ProductDocument, expected: Readonly<Record<string, string>>, input: ProductChange): void {
  const source: Record<string, unknown> = structuredClone({ ...product })
  for (const [name, cell] of Object.entries(expected)) {
    const column = columnOf(name)
    const now = cellAt(column.scope === 'product' ? source : optionIn(source, input.pricing_option_id), column.at)
    if (now !== cell)
      throw new AdcpError('CONFLICT', `${name} of ${input.product} is ${now === '' ? 'empty' : now} by now, no longer ${cell}`, {
        field: name,
      })
  }
}

/** A value as the cell of its column. */
function cellAt(source: Readonly<Record<string, unknown>>, path: readonly string[]): string {
  let value: unknown = source
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
  return value === undefined || value === null ? '' : String(value)
}

/** Columns that identify what is changed, or hold more than one value. */
const FIXED = ['product_id', 'pricing_option_id', 'product_json', 'pricing_json']

function columnOf(name: string): Column {
  const column = columnByName.get(name)
  if (column && isSettable(column)) return column
  const names = [...columnByName.values()].filter(isSettable).map((each) => each.name)
  const hint = instead(name, names, 'sales-agent products columns lists them')
  throw new AdcpError('INVALID_REQUEST', `${quoted(name)} is no column that can be set${hint}`, { field: name })
}

/** A column that holds only the first entry of a list would remove the others. */
function isSettable({ name, at }: Column): boolean {
  return !FIXED.includes(name) && !at.includes('0')
}

interface Cell {
  readonly column: Column
  readonly cell: string
}

function changed(
  product: ProductDocument,
  cells: readonly Cell[],
  { pricing_option_id: pricingOptionId }: ProductChange,
): object {
  const next: Record<string, unknown> = structuredClone({ ...product })
  for (const { column, cell } of cells) {
    const target = column.scope === 'product' ? next : optionIn(next, pricingOptionId)
    place(target, column.at, cell === '' ? undefined : typedValue(column, cell))
  }
  if (cells.some(({ column: { name }, cell }) => name === 'price' && cell === '')) requirePrice(optionIn(next, pricingOptionId))
  return JSON.parse(JSON.stringify(next))
}

/** Without a fixed price an option is sold by auction, and without a floor for any bid. Throws INVALID_REQUEST. */
function requirePrice({ floor_price: floor }: Readonly<Record<string, unknown>>): void {
  if (typeof floor === 'number') return
  const message =
    'without a price it would be sold by auction from any bid: write a price such as 12.5, or a floor beside the empty price'
  throw new AdcpError('INVALID_REQUEST', message, { field: 'price' })
}

function optionIn({ pricing_options: options }: Record<string, unknown>, id: string | undefined): Record<string, unknown> {
  const list: Record<string, unknown>[] = Array.isArray(options) ? options : []
  const found = id === undefined && list.length === 1 ? list[0] : list.find((option) => option.pricing_option_id === id)
  if (found) return found
  const ids = list.map((option) => String(option.pricing_option_id)).join(', ')
  throw new AdcpError('INVALID_REQUEST', `name the price that changes; the product has ${ids}`, { field: 'pricing_option_id' })
}

function typedValue(column: Column, cell: string): unknown {
  const value = cellValue(cell, column)
  if (value !== undefined && value !== 'ambiguous') return value
  if (value === 'ambiguous') throw new AdcpError('INVALID_REQUEST', twoReadings(cell), { field: column.name })
  const kind = column.kind === 'integer' ? 'a whole number' : 'a number such as 12.5'
  throw new AdcpError('INVALID_REQUEST', `${column.name} "${cell}" must be ${kind}`, { field: column.name })
}
