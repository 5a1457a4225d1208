import type { ProductsFile } from '../../domain/product/products-file.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import { atOnce, jsonInSteps, mapSteps, type Steps } from '../../platform/concurrency/steps.ts'
import { afterText, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { quotedCell } from '../csv-text.ts'

/** Products as a file of the import format. */
export function writeProductFile(file: Pick<ProductsFile, 'products'>, form: 'json' | 'csv'): string {
  return atOnce(productFileInSteps(file, form))
}

/** The same in turns between which others are served. */
export async function productFileInTurns(file: Pick<ProductsFile, 'products'>, form: 'json' | 'csv'): Promise<string> {
  const text = await inTurns(productFileInSteps(file, form))
  await afterText(text)
  return text
}

export function* productFileInSteps(file: Pick<ProductsFile, 'products'>, form: 'json' | 'csv'): Steps<string> {
  if (form === 'json') return `${yield* jsonInSteps(file, 2)}\n`
  const lines = yield* mapSteps(file.products, (product) => csvRecords([product]).map(lineOf).join(''))
  return [lineOf(csvHeader), ...lines].join('')
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map(quotedCell).join(',')}\r\n`
}
