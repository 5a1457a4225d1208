import { extname } from 'node:path'
import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import type { TableRow } from '../../platform/decode/table-rows.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ImportFile, Table } from './import-document.ts'
import { withTable } from './read-sheet.ts'

/** Names of files that hold delimited text. */
const TABLES = ['.csv', '.tsv', '.txt']

/**
 * A file to import from its bytes: text in UTF-8, in UTF-16 behind a byte order mark, or the first sheet of an `.xlsx` workbook by its name. Throws INVALID_REQUEST for what is neither, and for a
 * workbook that exceeds the limits of its decoder.
 */
export async function importFileOf(name: string, bytes: Uint8Array): Promise<ImportFile> {
  const ending = extname(name).toLowerCase()
  if (ending === '.xlsx') return { name, text: '', table: await readWorkbook(name, bytes) }
  const file = { name, text: textIn(name, bytes) }
  return TABLES.includes(ending) ? await withTable(file) : file
}

function textIn(name: string, bytes: Uint8Array): string {
  // A text that begins with a letter in ASCII has NUL beside it in UTF-16 alone.
  if (bytes[0] === 0 || bytes[1] === 0) throw unreadable(name, 'it is in UTF-16 without a byte order mark, or no text')
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable(name, 'it is no UTF-8 text', error)
  }
}

function unreadable(name: string, why: string, cause?: unknown): AdcpError {
  return new AdcpError('INVALID_REQUEST', `cannot read ${name}: ${why}; save it as CSV UTF-8, or as .xlsx`, {
    field: 'file',
    cause,
  })
}

/** Excel writes "Unicode text" as UTF-16 behind a byte order mark; all else is UTF-8. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

async function readWorkbook(name: string, bytes: Uint8Array): Promise<Table> {
  try {
    const rows = await decode('workbook', { bytes })
    return { ok: true, rows: rows.filter(isFilled), decimal: '.' }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    const why = error.limit === 'content' ? error.message : `it ${error.message}`
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name} as a workbook: ${why}`, { field: 'file', cause: error })
  }
}

function isFilled({ line, cells }: TableRow): boolean {
  return line === 1 || cells.some((cell) => cell !== '')
}
