import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { LineCounter, parseDocument } from 'yaml'
import { standardFormatIds } from '../domain/creative/formats/standard-formats.ts'
import type { CatalogueDocument } from '../domain/product/catalogue-file.ts'
import { type ImportContext, type ImportProblem, importCatalogue } from '../domain/product/import-products.ts'
import { type CsvProblem, type CsvRow, readCsvRows } from '../domain/product/read-csv.ts'
import { csvHeader, csvRecords } from '../domain/product/write-csv.ts'
import { AdcpError } from '../errors.ts'
import type { Schemas } from '../protocol/schemas.ts'

/** One line of the report on an import file. `column` is a CSV column or a position in the line of a JSON file. */
export interface FileProblem {
  readonly line?: number
  readonly column?: string | number
  readonly pointer?: string
  readonly productId?: string
  readonly message: string
}

export type FileResult =
  | { readonly ok: true; readonly catalogue: CatalogueDocument }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** Reads a product file, `.csv` or JSON, and checks it whole. Throws INVALID_REQUEST when it cannot be read at all. */
export function readProductFile(path: string, schemas: Schemas): FileResult {
  const context = importContext(schemas)
  const text = readText(path)
  return extname(path).toLowerCase() === '.csv' ? readCsv(text, context) : readJson(text, context)
}

const MODELS = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time']

/** The checks of an import: ours for the file, the official ones for what it holds. */
export function importContext(schemas: Schemas): ImportContext {
  return {
    formatIds: standardFormatIds,
    validators: {
      file: schemas.validator('own:products-import.json'),
      product: schemas.validator('core/product.json'),
      property: schemas.validator('core/property.json'),
      collection: schemas.validator('core/collection.json'),
      pricingOption: (model) =>
        MODELS.includes(model) ? schemas.validator(`pricing-options/${model.replace('_', '-')}-option.json`) : undefined,
    },
  }
}

/** Products as a file of the import format. */
export function writeProductFile(catalogue: CatalogueDocument, form: 'json' | 'csv'): string {
  if (form === 'json') return `${JSON.stringify(catalogue, null, 2)}\n`
  return [csvHeader, ...csvRecords(catalogue.products)].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

/** RFC 4180 §2: a cell with a comma, a quote or a line break is quoted, a quote in it is doubled. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no UTF-8 text' : 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${path}: ${reason}`, { field: 'file', cause: error })
  }
}

function readCsv(text: string, context: ImportContext): FileResult {
  let rows: CsvRow[]
  try {
    const records: { record: Record<string, string>; info: { lines: number } }[] = parse(text, {
      bom: true,
      columns: true,
      info: true,
      skip_empty_lines: true,
      relax_column_count: false,
    })
    rows = records.map(({ record, info }) => ({ line: info.lines, cells: record }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ok: false, problems: [{ message: error.message, ...(typeof error.lines === 'number' && { line: error.lines }) }] }
  }
  const csv = readCsvRows(rows)
  const result = importCatalogue(csv.file, context)
  const problems: CsvProblem[] = [...csv.problems, ...(result.ok ? [] : result.problems.map(csv.locate))]
  return result.ok && problems.length === 0 ? result : { ok: false, problems }
}

/** Above this a file is read without the slower parser that knows lines; problems then carry pointers alone. */
const MAX_LOCATED_BYTES = 5_000_000

function readJson(text: string, context: ImportContext): FileResult {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const result = importCatalogue(parsed.value, context)
  if (result.ok) return result
  const place = text.length > MAX_LOCATED_BYTES ? () => ({}) : locator(text)
  return { ok: false, problems: result.problems.map((problem) => ({ ...problem, ...place(problem) })) }
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false; problems: FileProblem[] } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    const lines = new LineCounter()
    const [error] = parseDocument(text, { lineCounter: lines, schema: 'json' }).errors
    if (!error) return { ok: false, problems: [{ message: 'is no JSON' }] }
    const { line, col } = lines.linePos(error.pos[0])
    return { ok: false, problems: [{ line, column: col, message: error.message.split('\n')[0] ?? 'is no JSON' }] }
  }
}

/** Line and column of a pointer. JSON is a subset of YAML 1.2, whose parser keeps the place of every node. */
function locator(text: string): (problem: ImportProblem) => { line?: number; column?: number } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, schema: 'json' })
  return ({ pointer }) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    // A missing member is reported at the nearest parent that exists.
    for (let length = path.length; length >= 0; length--) {
      const node: unknown = document.getIn(path.slice(0, length), true)
      const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
      if (!Array.isArray(range) || typeof range[0] !== 'number') continue
      const { line, col } = lines.linePos(range[0])
      return { line, column: col }
    }
    return {}
  }
}
