import type { ImportFile } from '../operator/imports/import-document.ts'
import { readNamedFile } from './read-named-file.ts'

/** An import file with its text or cells. A note says where its encoding is a conclusion. Throws INVALID_REQUEST when it cannot be read at all. */
export async function readImportFile(path: string): Promise<ImportFile> {
  const bytes = readNamedFile(path, 'file')
  // The decoders of tables are loaded for commands that read a file.
  const { importFileOf } = await import('../operator/imports/import-file.ts')
  const file = await importFileOf(path, bytes)
  if (file.encoding)
    process.stderr.write(`${path} is no UTF-8 and was read as ${file.encoding}: look at letters such as ä and é, and at €\n`)
  return file
}
