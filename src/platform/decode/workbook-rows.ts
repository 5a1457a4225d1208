import { zipSync } from 'fflate'
import { DecodeFault } from './decode-fault.ts'
import { MAX_CELLS, MAX_COLUMNS, MAX_ROW_CHARACTERS, MAX_ROWS } from './table-limits.ts'
import type { TableRow } from './table-rows.ts'
import { unzipBounded } from './unzip-bounded.ts'

/** The bytes of an `.xlsx` file. */
export interface WorkbookInput {
  readonly bytes: Uint8Array
}

/** What a workbook may come to when it is unpacked, in bytes. */
const MAX_UNPACKED = 64_000_000
/** A workbook has a part for each sheet and each picture, and some ten others. */
const MAX_PARTS = 10_000
/** Longest text of a cell that Excel writes, in characters. */
const MAX_CELL_CHARACTERS = 32_767

/** Rows of the first sheet of a workbook, as texts; `line` is the row. Cells are allocated up to the last one named, so what a sheet names is bounded before it is read. */
export async function* workbookRows({ bytes }: WorkbookInput): AsyncGenerator<TableRow> {
  const parts = unzipBounded(bytes, { maxFiles: MAX_PARTS, maxBytes: MAX_UNPACKED })
  for (const [name, part] of parts) if (/\.xml$/i.test(name)) requireFewCells(part)
  const { readSheet } = await import('../libraries/read-excel-file.ts')
  const rows = await readSheet(repacked(parts)).catch((error: unknown) => {
    throw new DecodeFault('content', error instanceof Error ? error.message : String(error))
  })
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0)
  if (!isSmall(rows.length, columns)) throw tooLarge(`has ${rows.length} rows and ${columns} columns`)
  for (const [index, row] of rows.entries()) {
    const cells = row.map(cellText)
    requireShortTexts(cells, index + 1)
    yield { line: index + 1, cells }
  }
}

/**
 * The parts that were looked at as an archive of their own: the library allocates what an archive declares, which may be any size and ends the process, and of two parts of one name may read
 * the other.
 */
function repacked(parts: ReadonlyMap<string, Uint8Array>): Buffer {
  const read = [...parts].filter(([name]) => /\.(?:xml|rels)$/i.test(name))
  return Buffer.from(zipSync(Object.fromEntries(read), { level: 0 }))
}

/** A text that a workbook holds once may be in any number of its cells. */
function requireShortTexts(cells: readonly string[], row: number): void {
  let characters = 0
  for (const [column, { length }] of cells.entries()) {
    characters += length
    if (length > MAX_CELL_CHARACTERS)
      throw textsTooLong(`in cell ${lettersOf(column + 1)}${row}`, length, `${MAX_CELL_CHARACTERS} in a cell`)
  }
  if (characters > MAX_ROW_CHARACTERS) throw textsTooLong(`in row ${row}`, characters, `${MAX_ROW_CHARACTERS} in a row`)
}

function textsTooLong(place: string, length: number, limit: string): DecodeFault {
  return new DecodeFault('size', `has ${length} characters ${place} of its first sheet; ${limit} are allowed: shorten the text`)
}

/** Names of rows and cells, `r="12"` and `r="AB12"` (ECMA-376, 18.3.1.73 and 18.18.7). */
const PLACE = /\sr\s*=\s*["']\s*([a-z]*)(\d+)\s*["']/gi

function requireFewCells(part: Uint8Array): void {
  let columns = 1
  let rows = 1
  const text = Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
  for (const [, letters = '', number] of text.matchAll(PLACE)) {
    columns = Math.max(columns, columnOf(letters))
    rows = Math.max(rows, Number(number))
    if (!isSmall(rows, columns)) throw tooLarge(letters === '' ? `has a row ${number}` : `has a cell ${letters}${number}`)
  }
}

function isSmall(rows: number, columns: number): boolean {
  return rows <= MAX_ROWS && columns <= MAX_COLUMNS && rows * columns <= MAX_CELLS
}

function tooLarge(what: string): DecodeFault {
  const limits = `${MAX_ROWS} rows, ${MAX_COLUMNS} columns and ${MAX_CELLS} cells`
  return new DecodeFault('size', `${what}; a sheet may have ${limits}: delete what lies outside the table, or split it`)
}

/** A is 1, Z is 26, AA is 27. */
function columnOf(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

/** 1 is A, 26 is Z, 27 is AA. */
function lettersOf(column: number): string {
  const before = Math.floor((column - 1) / 26)
  return `${before === 0 ? '' : lettersOf(before)}${String.fromCharCode(65 + ((column - 1) % 26))}`
}

/** Dates have no time in an import file. */
function cellText(cell: unknown): string {
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? '' : cell.toISOString().slice(0, 10)
  return cell === null || cell === undefined ? '' : String(cell).trim()
}
