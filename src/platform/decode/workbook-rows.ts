import { zipSync } from 'fflate'
import { DecodeFault } from './decode-fault.ts'
import { writeNumber } from './read-number.ts'
import { MAX_CELLS, MAX_COLUMNS, MAX_ROW_CHARACTERS, MAX_ROWS } from './table-limits.ts'
import type { TableRow } from './table-rows.ts'
import { unzipBounded } from './unzip-bounded.ts'

/** What a library says of a sheet that it cannot read names its own variables, above all for a cell without `r`, which ECMA-376 leaves out where cells follow each other. */
const NOT_AS_WRITTEN =
  'its sheet cannot be read: a cell does not say where it is, or the file is damaged; open it with a spreadsheet program and save it as .xlsx again, or as CSV UTF-8'

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
  const { readSheet } = await import('../libraries/read-excel-file.ts')
  const rows = await readSheet(checkedParts(bytes)).catch(() => {
    throw new DecodeFault('content', NOT_AS_WRITTEN)
  })
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0)
  if (!isSmall(rows.length, columns)) throw tooLarge(`has ${rows.length} rows and ${columns} columns`)
  for (const [index, row] of rows.entries()) {
    const cells = row.map(cellText)
    requireShortTexts(cells, index + 1)
    yield { line: index + 1, cells }
  }
}

/** The parts of a workbook that name few cells, of which no other copy stays in memory. */
function checkedParts(bytes: Uint8Array): Buffer {
  const parts = unzipBounded(bytes, { maxFiles: MAX_PARTS, maxBytes: MAX_UNPACKED })
  for (const [name, part] of parts) if (/\.xml$/i.test(name)) requireFewCells(part)
  return repacked(parts)
}

/**
 * The parts that were looked at as an archive of their own: the library allocates what an archive declares, which may be any size and ends the process, and of two parts of one name may read
 * the other.
 */
function repacked(parts: ReadonlyMap<string, Uint8Array>): Buffer {
  const read = [...parts].filter(([name]) => /\.(?:xml|rels)$/i.test(name))
  const { buffer, byteOffset, length } = zipSync(Object.fromEntries(read), { level: 0 })
  return Buffer.from(buffer, byteOffset, length)
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
/** The beginning of a cell, which may have no name. */
const CELL = /<(?:[a-z]+:)?c[\s/>]/g

function requireFewCells(part: Uint8Array): void {
  let columns = 1
  let rows = 1
  let cells = 0
  for (const text of piecesOf(part)) {
    for (const [, letters = '', number] of text.matchAll(PLACE)) {
      columns = Math.max(columns, columnOf(letters))
      rows = Math.max(rows, Number(number))
      if (!isSmall(rows, columns)) throw tooLarge(letters === '' ? `has a row ${number}` : `has a cell ${letters}${number}`)
    }
    cells += text.match(CELL)?.length ?? 0
    if (cells > MAX_CELLS) throw tooLarge(`has more than ${MAX_CELLS} cells`)
  }
}

/** Characters of a piece of a part: a text of the whole would be in memory beside it. */
const PIECE = 1_000_000

/** A part in pieces that each end where a tag begins, or in a million characters without one. */
function* piecesOf(part: Uint8Array): Generator<string> {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length)
  for (let start = 0; start < bytes.length; ) {
    const tag = bytes.indexOf('<', start + PIECE)
    const end = tag < 0 ? bytes.length : tag
    yield bytes.toString('latin1', start, end)
    start = end
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
  // A stored number has one reading, and its text has one too.
  if (typeof cell === 'number') return writeNumber(cell)
  return cell === null || cell === undefined ? '' : String(cell).trim()
}
