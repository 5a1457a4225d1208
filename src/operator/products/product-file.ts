import { extname } from 'node:path'
import { type ImportContext, parseProductsFile } from '../../domain/product/import-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import { type CsvProblem, readCsvRows } from '../../domain/product/read-csv.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, inOrder, locator, parseJson } from '../imports/import-problems.ts'
import { readSheet } from '../imports/read-sheet.ts'
import { importContext } from './import-context.ts'
import { missingColumns } from './map-columns.ts'

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

function readTable(file: ImportFile, context: ImportContext): FileResult {
  const sheet = readSheet(file)
  if (!sheet.ok) return sheet
  const csv = readCsvRows(sheet.rows, sheet.decimal)
  const result = parseProductsFile(csv.file, context)
  const absent = missingColumns(Object.keys(sheet.rows[0]?.cells ?? {}))
  const ofRows = result.ok ? [] : result.problems.map(csv.locate).filter(({ column }) => !absent.includes(String(column)))
  const problems: CsvProblem[] = [...csv.problems, ...(absent.length >= PARTIAL ? [PARTIAL_TABLE] : []), ...ofRows]
  return result.ok && problems.length === 0 ? result : { ok: false, problems: inOrder(distinctPlaces(problems)) }
}

/** Required columns that a table lacks when it was meant as a list of changes, such as prices alone. */
const PARTIAL = 3

const PARTIAL_TABLE: CsvProblem = {
  line: 1,
  message:
    'each row has to hold a whole product; to change some values of a product use "sales-agent products set", or change the table that "sales-agent products export --format csv" writes and import it',
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
