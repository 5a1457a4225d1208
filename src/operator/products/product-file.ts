import { extname } from 'node:path'
import { standardFormatIds } from '../../domain/creative/formats/standard-formats.ts'
import { type ImportContext, parseProductsFile } from '../../domain/product/import-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import { type CsvProblem, readCsvRows } from '../../domain/product/read-csv.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { quotedCell } from '../csv-text.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, inOrder, locator, parseJson } from '../imports/import-problems.ts'
import { readSheet } from '../imports/read-sheet.ts'

export type FileResult =
  | { readonly ok: true; readonly file: ProductsFile }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** Names of files that hold a table. */
const TABLES = ['.csv', '.tsv', '.txt', '.xlsx']

/** Reads a product file, a table by its name (`….csv`, `….xlsx`) or JSON, and checks it whole; `ownFormats` are ids beside the standard ones. */
export function readProductFile(file: ImportFile, schemas: Schemas, ownFormats: readonly string[] = []): FileResult {
  const context = importContext(schemas, ownFormats)
  return TABLES.includes(extname(file.name).toLowerCase()) ? readTable(file, context) : readJson(file.text, context)
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

function readTable(file: ImportFile, context: ImportContext): FileResult {
  const sheet = readSheet(file)
  if (!sheet.ok) return sheet
  const csv = readCsvRows(sheet.rows, sheet.decimal)
  const result = parseProductsFile(csv.file, context)
  const problems: CsvProblem[] = [...csv.problems, ...(result.ok ? [] : result.problems.map(csv.locate))]
  return result.ok && problems.length === 0 ? result : { ok: false, problems: inOrder(distinctPlaces(problems)) }
}

/** A cell that cannot be read is missing in the JSON form; that is said once. */
function distinctPlaces(problems: readonly CsvProblem[]): CsvProblem[] {
  const placeOf = ({ line, column }: CsvProblem) => `${line} ${column ?? ''}`
  const seen = new Set<string>()
  return problems.filter((problem) => {
    const isNew = problem.column === undefined || !seen.has(placeOf(problem))
    seen.add(placeOf(problem))
    return isNew
  })
}

function readJson(text: string, context: ImportContext): FileResult {
  const parsed = parseJson(text)
  if (!parsed.ok) return parsed
  const result = parseProductsFile(parsed.value, context)
  if (result.ok) return result
  const place = locator(text)
  return { ok: false, problems: inOrder(result.problems.map((problem) => ({ ...problem, ...place(problem) }))) }
}
