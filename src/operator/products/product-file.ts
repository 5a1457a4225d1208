import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { standardFormatIds } from '../../domain/creative/formats/standard-formats.ts'
import { type ImportContext, parseProductsFile } from '../../domain/product/import-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import { type CsvProblem, type CsvRow, readCsvRows } from '../../domain/product/read-csv.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { quotedCell } from '../csv-text.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, locator, parseJson } from '../imports/import-problems.ts'

export type FileResult =
  | { readonly ok: true; readonly file: ProductsFile }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** Reads a product file, CSV by its name (`….csv`) or JSON, and checks it whole; `ownFormats` are ids beside the standard ones. */
export function readProductFile({ name, text }: ImportFile, schemas: Schemas, ownFormats: readonly string[] = []): FileResult {
  const context = importContext(schemas, ownFormats)
  return extname(name).toLowerCase() === '.csv' ? readCsv(text, context) : readJson(text, context)
}

const MODELS = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time']

/** The checks of an import: ours for the file, the official ones for what it holds. */
export function importContext(schemas: Schemas, ownFormats: readonly string[] = []): ImportContext {
  return {
    formatIds: new Set([...standardFormatIds, ...ownFormats]),
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
export function writeProductFile(file: ProductsFile, form: 'json' | 'csv'): string {
  if (form === 'json') return `${JSON.stringify(file, null, 2)}\n`
  return [csvHeader, ...csvRecords(file.products)].map((cells) => `${cells.map(quotedCell).join(',')}\r\n`).join('')
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
  const result = parseProductsFile(csv.file, context)
  const problems: CsvProblem[] = [...csv.problems, ...(result.ok ? [] : result.problems.map(csv.locate))]
  return result.ok && problems.length === 0 ? result : { ok: false, problems }
}

function readJson(text: string, context: ImportContext): FileResult {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const result = parseProductsFile(parsed.value, context)
  if (result.ok) return result
  const place = locator(text)
  return { ok: false, problems: result.problems.map((problem) => ({ ...problem, ...place(problem) })) }
}
