import { extname } from 'node:path'
import type { ImportFile } from '../imports/import-document.ts'

/** Names of files that hold a table of products. */
const TABLES = ['.csv', '.tsv', '.txt', '.xlsx']

/** Whether a product file is a table, by its name; the others are JSON. */
export function isProductTable({ name }: ImportFile): boolean {
  return TABLES.includes(extname(name).toLowerCase())
}

/** The file with its table decoded, where it is one. */
export async function withProductTable(file: ImportFile): Promise<ImportFile> {
  if (!isProductTable(file)) return file
  const { withTable } = await import('../imports/read-sheet.ts')
  return await withTable(file)
}
