import { CsvError, parse } from 'csv-parse/sync'
import type { CsvRow } from '../../domain/product/read-csv.ts'
import type { DecimalMark } from '../../domain/product/read-number.ts'
import type { ImportFile } from './import-document.ts'
import type { FileProblem } from './import-problems.ts'

/** Records of a table with the line or row that each begins at, and how its numbers are written. */
export type SheetResult =
  | { readonly ok: true; readonly rows: readonly CsvRow[]; readonly decimal: DecimalMark }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

const DELIMITERS = [',', ';', '\t'] as const

/** Reads a table as spreadsheets write it: rows of a sheet, or CSV separated by comma, semicolon or tab, with or without a byte order mark. */
export function readSheet({ text, sheet }: ImportFile): SheetResult {
  return sheet ? readCells(sheet) : readCsv(text)
}

function readCells(sheet: NonNullable<ImportFile['sheet']>): SheetResult {
  const [names = [], ...records] = sheet
  const rows = records.map((cells, index) => ({
    line: index + 2,
    cells: Object.fromEntries(names.flatMap((name, column) => (name.trim() === '' ? [] : [[name.trim(), cells[column] ?? '']]))),
  }))
  return { ok: true, rows: rows.filter(({ cells }) => Object.values(cells).some((cell) => cell !== '')), decimal: '.' }
}

function readCsv(text: string): SheetResult {
  const delimiter = delimiterOf(text)
  try {
    const records: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      delimiter,
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      relax_column_count: false,
    })
    const rows = records.map(({ record, info }) => ({ line: info.lines, cells: record }))
    return { ok: true, rows, decimal: delimiter === ';' ? ',' : '.' }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ok: false, problems: [{ message: error.message, ...(typeof error.lines === 'number' && { line: error.lines }) }] }
  }
}

/** The separator that the headings, which contain none of them, are split by. */
function delimiterOf(text: string): (typeof DELIMITERS)[number] {
  const [heading = ''] = text.slice(0, 10_000).split(/\r?\n/, 1)
  const counts = DELIMITERS.map((delimiter) => heading.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
