import type { CsvProblem } from '../../domain/product/csv-cells.ts'
import { missingColumns } from '../../domain/product/csv-columns.ts'
import { type ImportContext, judgedFile } from '../../domain/product/import-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import { type CurrentProducts, csvProducts } from '../../domain/product/read-csv.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, inOrder, located, parseImport } from '../imports/import-problems.ts'
import { readSheet } from '../imports/read-sheet.ts'
import { importContext } from './import-context.ts'
import { isProductTable } from './product-table.ts'

export type FileResult =
  | { readonly ok: true; readonly file: ProductsFile }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** What a product file is read against. */
export interface ProductFileContext {
  readonly schemas: Schemas
  /** Ids of formats beside the standard ones. */
  readonly ownFormats?: readonly string[]
  /** The products that rows of a table change, by id; absent where each row has to hold a whole product. */
  readonly current?: CurrentProducts | undefined
}

/**
 * Reads a product file, a table by its name (`….csv`, `….xlsx`) or JSON, and checks it whole. A table may hold some columns alone for products that exist:
 * the result has those products with the changes.
 */
export function readProductFile(file: ImportFile, { schemas, ownFormats, current }: ProductFileContext): Promise<FileResult> {
  const context = importContext(schemas, ownFormats)
  return isProductTable(file) ? readTable(file, context, current) : readJson(file.text, context)
}

async function readTable(file: ImportFile, context: ImportContext, current?: CurrentProducts): Promise<FileResult> {
  const sheet = await readSheet(file)
  if (!sheet.ok) return sheet
  const csv = await inTurns(csvProducts(sheet.rows, current))
  const result = await inTurns(judgedFile(csv.file, context))
  const absent = missingColumns(Object.keys(sheet.rows[0]?.cells ?? {}))
  const ofRows = (result.ok ? [] : result.problems)
    .map((problem) => ({ ...csv.locate(problem), isWhole: csv.isWhole(indexIn(problem)) }))
    .filter(({ column, isWhole }) => !isWhole || !absent.includes(String(column)))
    .map(({ isWhole: _isWhole, ...problem }) => problem)
  const isPartial = absent.length >= PARTIAL && csv.problems.some(({ column }) => column === absent[0])
  const problems = [...csv.problems, ...(isPartial ? [partialTable(current)] : []), ...ofRows]
  return result.ok && problems.length === 0 ? result : { ok: false, problems: inOrder(distinctPlaces(problems)) }
}

function indexIn({ pointer }: { readonly pointer: string }): number {
  return Number(/^\/products\/(\d+)/.exec(pointer)?.[1] ?? -1)
}

/** Required columns that a table lacks when it was meant as a list of changes, such as prices alone. */
const PARTIAL = 3

function partialTable(current: CurrentProducts | undefined): CsvProblem {
  const reason = current
    ? 'no row names a product that exists, by product_id; a table of some columns changes products that exist, and new products need all required columns'
    : 'each row has to hold a whole product where the file replaces the products; without replacing, a table of some columns changes those of products that exist'
  return { line: 1, message: reason }
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

async function readJson(text: string, context: ImportContext): Promise<FileResult> {
  const parsed = await parseImport(text)
  if (!parsed.ok) return parsed
  await yieldToEventLoop()
  const result = await inTurns(judgedFile(parsed.value, context))
  if (result.ok) return result
  return { ok: false, problems: inOrder(await located(text, result.problems)) }
}
