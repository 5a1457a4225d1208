import { COLUMNS, columnByName, missingColumns } from '../../domain/product/csv-columns.ts'
import { mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quotedCell } from '../csv-text.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { importError } from '../imports/import-problems.ts'
import { readCells, withTable } from '../imports/read-sheet.ts'

/** A table as a person uploaded it. */
export interface UploadedTable {
  readonly headings: readonly string[]
  /** Cells in the order of the headings, with the line that each row begins at. */
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[]
}

/** Names that other systems have for a column, reduced to lower-case letters and digits. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  product_id: ['id', 'sku', 'code', 'productcode'],
  name: ['product', 'productname', 'title', 'placement', 'adunit'],
  description: ['details', 'text', 'summary'],
  channels: ['channel', 'medium', 'media'],
  delivery_type: ['delivery', 'type', 'guarantee'],
  format_ids: ['formats', 'format', 'size', 'sizes'],
  publisher_domain: ['domain', 'site', 'website', 'publisher'],
  daily_capacity: ['capacity', 'dailyimpressions', 'impressionsperday', 'availability'],
  pricing_model: ['model', 'pricemodel', 'billing', 'unit'],
  price: ['rate', 'fixedprice', 'cost', 'cpm', 'cpmprice', 'ratecard', 'netprice'],
  floor: ['floorprice', 'minimumprice', 'minprice', 'bidfloor'],
  min_spend: ['minimumspend', 'minspend', 'minimumbudget'],
}

/** Reads a table by its name (`….csv`, `….xlsx`); undefined for JSON. Throws INVALID_REQUEST when the file is not a table. */
export async function readUploadedTable(file: ImportFile): Promise<UploadedTable | undefined> {
  if (/\.json$/i.test(file.name)) return undefined
  const sheet = await readCells(await withTable(file))
  if (!sheet.ok) throw importError(file, sheet.problems)
  const { columns, records } = sheet
  const named = ({ line, cells }: UploadedTable['rows'][number]) => ({
    line,
    cells: columns.map(([column]) => cells[column] ?? ''),
  })
  // Rows of a table whose columns all have a heading stay as they were read: a million cells are not copied.
  const isWhole = records.every(({ cells }) => cells.length === columns.length)
  const rows = isWhole ? records : await inTurns(mapSteps(records, named))
  return { headings: records.length === 0 ? [] : columns.map(([, heading]) => heading), rows }
}

/** Whether every heading is a column of the import format. A table that changes products needs `product_id` alone, a `whole` one every required column. */
export function isMapped({ headings }: UploadedTable, { whole }: { readonly whole: boolean }): boolean {
  const isComplete = whole ? missingColumns(headings).length === 0 : headings.includes('product_id')
  return isComplete && headings.every((name) => columnByName.has(name))
}

/** The column that each heading is most likely meant as; '' for one that is left out. No column comes twice. */
export function suggestColumns(headings: readonly string[]): string[] {
  const taken = new Set(headings.filter((heading) => columnByName.has(heading)))
  return headings.map((heading) => {
    if (columnByName.has(heading)) return heading
    const found = COLUMNS.find(({ name }) => !taken.has(name) && means(heading, name))?.name ?? ''
    taken.add(found)
    return found
  })
}

function means(heading: string, column: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const asked = plain(heading)
  return plain(column) === asked || (OTHER_NAMES[column] ?? []).includes(asked)
}

/** What goes into the columns of the import format. */
export interface Mapping {
  /** The column for each heading; '' leaves it out. */
  readonly columns: readonly string[]
  /** Values that every row gets, by column. */
  readonly fixed: Readonly<Record<string, string>>
}

/** Characters of a table that is written anew: more than a file may have would be a product of what it repeats. */
const MOST_CHARACTERS = 16_000_000

/** The table in the columns of the import format, as CSV. Throws INVALID_REQUEST where it would be longer than a file may be. */
export function mapTable({ rows }: UploadedTable, { columns, fixed }: Mapping): Promise<string> {
  const chosen = columns.flatMap((column, index) => (column === '' ? [] : [{ column, index }]))
  const constants = Object.entries(fixed).filter(([, value]) => value !== '')
  const headings = [...chosen.map(({ column }) => column), ...constants.map(([column]) => column)]
  const values = constants.map(([, value]) => value)
  return csvText(headings, rows, ({ cells }) => [...chosen.map(({ index }) => cells[index] ?? ''), ...values])
}

/** The table with some cells replaced: `line` as in the table, `column` by its heading. Throws as {@link mapTable} does. */
export function repairTable(
  table: UploadedTable,
  repairs: readonly { readonly line: number; readonly column: string; readonly value: string }[],
): Promise<string> {
  const values = new Map(repairs.map(({ line, column, value }) => [`${line} ${column}`, value]))
  const repaired = ({ line, cells }: UploadedTable['rows'][number]) =>
    cells.map((cell, index) => values.get(`${line} ${table.headings[index] ?? ''}`) ?? cell)
  return csvText(table.headings, table.rows, repaired)
}

/** In turns: a table may have a million cells. */
async function csvText(
  headings: readonly string[],
  rows: UploadedTable['rows'],
  cellsOf: (row: UploadedTable['rows'][number]) => readonly string[],
): Promise<string> {
  const lineOf = (cells: readonly string[]) => `${cells.map((cell) => quotedCell(cell.replaceAll(/\r?\n/g, ' '))).join(',')}\r\n`
  const lines = await inTurns(linesOf(rows, cellsOf, lineOf))
  return lineOf(headings) + lines.join('')
}

/** Characters of rows between two steps: some tenths of a millisecond. */
const CHARACTERS_OF_A_STEP = 4_096

function* linesOf(
  rows: UploadedTable['rows'],
  cellsOf: (row: UploadedTable['rows'][number]) => readonly string[],
  lineOf: (cells: readonly string[]) => string,
): Steps<string[]> {
  const lines: string[] = []
  let [length, sinceStep] = [0, 0]
  for (const row of rows) {
    const cells = cellsOf(row)
    // Before they are joined: quotes are doubled.
    const size = cells.reduce((sum, cell) => sum + cell.length, cells.length)
    length += size
    sinceStep += size
    if (length > MOST_CHARACTERS) {
      const message = `the table has more than ${MOST_CHARACTERS / 1_000_000} million characters as it would be imported: import it in parts, or from the command line`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'file' })
    }
    lines.push(lineOf(cells))
    if (sinceStep < CHARACTERS_OF_A_STEP) continue
    sinceStep = 0
    yield
  }
  return lines
}
