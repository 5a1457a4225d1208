import { cleanedText, unfitText } from '../../domain/fit-text.ts'
import type { CsvRow } from '../../domain/product/csv-cells.ts'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import type { TableRow } from '../../platform/decode/table-rows.ts'
import type { ImportFile, Table } from './import-document.ts'
import type { FileProblem } from './import-problems.ts'

/** Records of a table with the line or row that each begins at. */
export type SheetResult =
  | { readonly ok: true; readonly rows: readonly CsvRow[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

const DELIMITERS = [',', ';', '\t'] as const

/** The line by which spreadsheets say how cells are separated, `sep=;`. Its line break stays, so that lines count as in the file. */
const SEPARATOR_LINE = /^(\uFEFF?)sep=[;,\t](?=\r?\n)/i

/**
 * The file with its table: CSV separated by comma, semicolon or tab, with or without a byte order mark. It is decoded outside of any transaction, before the file is
 * read; a workbook has its table from the start.
 */
export async function withTable(file: ImportFile): Promise<ImportFile & { readonly table: Table }> {
  return { ...file, table: file.table ?? (await tableIn(file.text)) }
}

async function tableIn(file: string): Promise<Table> {
  const text = file.replace(SEPARATOR_LINE, '$1')
  const other = otherFormat(text)
  if (other !== undefined) return { ok: false, problem: { message: other } }
  const delimiter = delimiterOf(text)
  try {
    const rows = await decode('table', { bytes: Buffer.from(text), delimiter })
    return { ok: true, rows }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    return { ok: false, problem: { message: error.message, ...(error.line !== undefined && { line: error.line }) } }
  }
}

/** Records of a table by its headings; a file without a table has to be given to {@link withTable} first. */
export async function readSheet(file: ImportFile): Promise<SheetResult> {
  const read = await readCells(file)
  if (!read.ok) return read
  return { ok: true, rows: await inTurns(rowsIn(read.records, read.columns)) }
}

/** Records of a table as they are there, with the positions and headings of the columns that have one. */
type CellsResult =
  | {
      readonly ok: true
      readonly columns: readonly (readonly [number, string])[]
      readonly records: readonly TableRow[]
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** As {@link readSheet}, without a copy of every row by its headings. */
export async function readCells({ name, table }: ImportFile): Promise<CellsResult> {
  if (!table) throw new Error(`the table of ${name} was not decoded`)
  if (!table.ok) return { ok: false, problems: [table.problem] }
  const [{ cells: headings } = { cells: [] }, ...records] = table.rows
  const names = headings.map((heading) => heading.trim())
  const repeated = repeatedHeadings(names, 1)
  if (repeated.length > 0) return { ok: false, problems: repeated }
  const columns = [...names.entries()].filter(([, heading]) => heading !== '')
  const unfit = await inTurns(unfitCells(table.rows, columns))
  if (unfit.length > 0) return { ok: false, problems: unfit }
  return { ok: true, columns, records }
}

function* rowsIn(records: readonly TableRow[], columns: readonly (readonly [number, string])[]): Steps<CsvRow[]> {
  const rows: CsvRow[] = []
  for (const { line, cells } of records) {
    rows.push({ line, cells: Object.fromEntries(columns.map(([column, heading]) => [heading, cells[column] ?? ''])) })
    yield
  }
  return rows
}

/** Problems that a report names at most: a file in a wrong encoding has one in each cell. */
const MOST_UNFIT = 20

/** Cells that hold what no text that is kept may. */
function* unfitCells(rows: readonly TableRow[], columns: readonly (readonly [number, string])[]): Steps<FileProblem[]> {
  const problems: FileProblem[] = []
  for (const { line, cells } of rows) {
    yield
    for (const [column, heading] of columns) {
      const message = unfitText(cells[column] ?? '')
      if (message !== undefined && problems.length < MOST_UNFIT) problems.push({ line, column: cleanedText(heading), message })
    }
  }
  return problems
}

/** Of two columns with one heading one would be lost. */
function repeatedHeadings(names: readonly string[], line: number): FileProblem[] {
  const repeated = new Set(names.filter((name, index) => name !== '' && names.indexOf(name) !== index))
  return [...repeated].map((column) => ({ line, column, message: 'several columns have this heading; leave one of them' }))
}

/** What a file that is called a table is in truth, and how it is read. */
function otherFormat(text: string): string | undefined {
  if (text.startsWith('PK\u0003\u0004')) return 'is a ZIP file and no text; name a workbook .xlsx'
  if (/^\uFEFF?\s{0,100}[[{]/.test(text)) return 'begins as JSON does and not with the names of columns; name a JSON file .json'
  const [heading = ''] = text.slice(0, 10_000).split(/[\r\n]/, 1)
  if (heading.includes('|') && !/[,;\t]/.test(heading))
    return 'has the names of its columns separated by |; separate cells by commas, semicolons or tabs'
  return undefined
}

/** The separator that the headings, which contain none of them, are split by. */
function delimiterOf(text: string): (typeof DELIMITERS)[number] {
  const [heading = ''] = text.slice(0, 10_000).trimStart().split(/\r?\n/, 1)
  const counts = DELIMITERS.map((delimiter) => heading.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
