import { CsvError, parse } from 'csv-parse/sync'
import type { CsvRow } from '../../domain/product/csv-cells.ts'
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
  const repeated = repeatedHeadings(names, 1)
  if (repeated.length > 0) return { ok: false, problems: repeated }
  const rows = records.map((cells, index) => ({
    line: index + 2,
    cells: Object.fromEntries(names.flatMap((name, column) => (name.trim() === '' ? [] : [[name.trim(), cells[column] ?? '']]))),
  }))
  return { ok: true, rows: rows.filter(({ cells }) => Object.values(cells).some((cell) => cell !== '')), decimal: '.' }
}

/** Of two columns with one heading one would be lost. */
function repeatedHeadings(names: readonly string[], line: number): FileProblem[] {
  const headings = names.map((name) => name.trim())
  const repeated = new Set(headings.filter((name, index) => name !== '' && headings.indexOf(name) !== index))
  return [...repeated].map((column) => ({ line, column, message: 'several columns have this heading; leave one of them' }))
}

/** The line by which spreadsheets say how cells are separated, `sep=;`. Its line break stays, so that lines count as in the file. */
const SEPARATOR_LINE = /^(\uFEFF?)sep=[;,\t](?=\r?\n)/i

function readCsv(file: string): SheetResult {
  const text = file.replace(SEPARATOR_LINE, '$1')
  const delimiter = delimiterOf(text)
  const repeated: FileProblem[] = []
  try {
    const records: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
      bom: true,
      columns: (names: string[]) => {
        repeated.push(...repeatedHeadings(names, 1))
        return names.map((name) => name.trim())
      },
      delimiter,
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      relax_column_count: false,
    })
    if (repeated.length > 0) return { ok: false, problems: repeated }
    const linesOf = lineCounter()
    linesOf(records[0] ? Object.keys(records[0].record) : [], 1)
    const rows = records.map(({ record, info }) => ({ line: linesOf(Object.values(record), info.lines), cells: record }))
    return { ok: true, rows, decimal: delimiter === ';' ? ',' : '.' }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ok: false, problems: [{ message: error.message, ...(typeof error.lines === 'number' && { line: error.lines }) }] }
  }
}

/** The line at which a record begins, from the one at which csv-parse sees its end: it counts a CR LF inside quotes as two lines. */
function lineCounter(): (cells: readonly string[], counted: number) => number {
  let twice = 0
  return (cells, counted) => {
    const text = cells.join()
    twice += text.match(/\r\n/g)?.length ?? 0
    return counted - twice - (text.match(/\r\n|\r|\n/g)?.length ?? 0)
  }
}

/** The separator that the headings, which contain none of them, are split by. */
function delimiterOf(text: string): (typeof DELIMITERS)[number] {
  const [heading = ''] = text.slice(0, 10_000).trimStart().split(/\r?\n/, 1)
  const counts = DELIMITERS.map((delimiter) => heading.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
