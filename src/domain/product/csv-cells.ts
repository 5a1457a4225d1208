import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { readNumber, twoReadings, writeNumber } from '../../platform/decode/read-number.ts'
import type { NameSearch } from '../../protocol/nearest-name.ts'
import { COLUMNS, type Column } from './csv-columns.ts'

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

export type Json = Record<string, unknown>

/** How the cells of a table are read, and where what cannot be read is reported. */
export interface CellReader {
  readonly problems: CsvProblem[]
  /** Looks for names that were meant, for all rows together. */
  readonly names: NameSearch
}

/** Every filled cell of a scope, placed where its column says. */
export function fieldsOf(row: CsvRow, scope: Column['scope'], reader: CellReader): Json {
  const target: Json = {}
  for (const column of COLUMNS) {
    const cell = row.cells[column.name] ?? ''
    if (column.scope !== scope || column.kind === 'json' || cell === '') continue
    const value = readCell(row, column, reader)
    if (value !== undefined) place(target, column.at, value)
  }
  return target
}

/** The value of a filled cell; undefined for what cannot be read, which is reported. */
export function readCell({ line, cells }: CsvRow, column: Column, { problems }: CellReader): unknown {
  const cell = cells[column.name] ?? ''
  const value = cellValue(cell, column)
  if (value !== undefined && value !== 'ambiguous') return value
  problems.push({ line, column: column.name, message: numberProblem(cell, column, value) })
  return undefined
}

function numberProblem(cell: string, { kind }: Column, value: 'ambiguous' | undefined): string {
  if (value === 'ambiguous') return twoReadings(cell)
  return `"${cell}" must be ${kind === 'integer' ? 'a whole number' : 'a number without currency or unit'}`
}

/** The value of a cell as its column takes it; text cells have one always. No mark of decimals is known: whoever writes one price may write it in either notation. */
export function cellValue(cell: string, { kind }: Column): unknown {
  if (kind === 'list')
    return cell
      .split('|')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  if (kind === 'text') return cell
  return readNumber(cell, { whole: kind === 'integer' })
}

/** Sets `value` at a path of members; a member `0` is the first entry of a list. */
export function place(target: Json, [member = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[member] = value
    return
  }
  if (rest[0] === '0') {
    const list: readonly unknown[] = Array.isArray(target[member]) ? target[member] : []
    const item = asJson(list[0])
    place(item, rest.slice(1), value)
    target[member] = [item, ...list.slice(1)]
    return
  }
  const child = asJson(target[member])
  place(child, rest, value)
  target[member] = child
}

/** The JSON object that a cell holds; an empty one for what is none, which is reported. */
export function jsonCell(row: CsvRow, column: string, { problems }: CellReader): Json {
  const cell = row.cells[column] ?? ''
  if (cell === '') return {}
  const value = foreignJsonIn(cell)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return asJson(value)
  problems.push({ line: row.line, column, message: 'must be a JSON object' })
  return {}
}

/** A copy of an object; an empty one for anything else. */
export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** What is at a path of members. */
export function valueAt(source: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, member) => (typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined),
    source,
  )
}

/** A cell that the reader understands; undefined when the value does not fit one. */
export function cellText(value: unknown, { kind }: Column): string | undefined {
  if (kind === 'list') {
    const fits =
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => typeof item === 'string' && item === item.trim() && !item.includes('|') && item !== '')
    return fits ? value.join('|') : undefined
  }
  if (kind === 'text') return typeof value === 'string' && value !== '' ? value : undefined
  // Exponents would not read back; such a number travels in the JSON column.
  return typeof value === 'number' && /^\d+(\.\d+)?$/.test(String(value)) ? writeNumber(value) : undefined
}
