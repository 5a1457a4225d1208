import type { ProductsFile } from '../../domain/product/products-file.ts'
import { csvHeader, csvRecords } from '../../domain/product/write-csv.ts'
import { quotedCell } from '../csv-text.ts'

/** Products as a file of the import format. */
export function writeProductFile(file: Pick<ProductsFile, 'products'>, form: 'json' | 'csv'): string {
  if (form === 'json') return `${JSON.stringify(file, null, 2)}\n`
  return [csvHeader, ...csvRecords(file.products)].map((cells) => `${cells.map(quotedCell).join(',')}\r\n`).join('')
}
