import { extname } from 'node:path'
import { ArchiveTooLarge, unzip } from '../../platform/unzip.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ImportFile } from './import-document.ts'

/** What a workbook may come to when it is unpacked, in bytes. */
const MAX_UNPACKED = 100_000_000
/** A workbook has a part for each sheet and each picture, and some ten others. */
const MAX_PARTS = 10_000

/**
 * A file to import from its bytes: text in UTF-8, in UTF-16 behind a byte order mark, or the first sheet of an `.xlsx` workbook by its name. Throws INVALID_REQUEST for what is neither, and for a
 * workbook that unpacks to more than 100 MB.
 */
export async function importFileOf(name: string, bytes: Uint8Array): Promise<ImportFile> {
  if (extname(name).toLowerCase() === '.xlsx') return { name, text: '', sheet: await readWorkbook(name, bytes) }
  try {
    return { name, text: new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes) }
  } catch (error) {
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name}: it is no UTF-8 text; save it as CSV UTF-8, or as .xlsx`, {
      field: 'file',
      cause: error,
    })
  }
}

/** Excel writes "Unicode text" as UTF-16 behind a byte order mark; all else is UTF-8. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

async function readWorkbook(name: string, bytes: Uint8Array): Promise<readonly (readonly string[])[]> {
  const { readSheet } = await import('read-excel-file/node')
  try {
    await unzip(bytes, { wants: () => false, maxFiles: MAX_PARTS, maxBytes: MAX_UNPACKED })
    const rows = await readSheet(Buffer.from(bytes))
    return rows.map((cells) => cells.map(cellText))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const why = error instanceof ArchiveTooLarge ? `it ${reason}` : reason
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name} as a workbook: ${why}`, { field: 'file', cause: error })
  }
}

/** Dates have no time in an import file. */
function cellText(cell: unknown): string {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  return cell === null || cell === undefined ? '' : String(cell).trim()
}
