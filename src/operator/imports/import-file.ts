import { extname } from 'node:path'
import type { Steps } from '../../platform/concurrency/steps.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import type { TableRow } from '../../platform/decode/table-rows.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ImportFile, Table } from './import-document.ts'
import { withTable } from './read-sheet.ts'

/** Names of files that hold delimited text. */
const TABLES = ['.csv', '.tsv', '.txt']

/**
 * A file to import from its bytes: text in UTF-8, in UTF-16 behind a byte order mark, a table in Windows-1252, or the first sheet of an `.xlsx` workbook by its name. Throws INVALID_REQUEST for what is
 * none of these, and for a workbook that exceeds the limits of its decoder.
 */
export async function importFileOf(name: string, bytes: Uint8Array): Promise<ImportFile> {
  const ending = extname(name).toLowerCase()
  if (ending === '.xlsx') return { name, text: '', table: await readWorkbook(name, bytes) }
  const isTable = TABLES.includes(ending)
  const file = { name, ...(await textIn(name, bytes, isTable)) }
  return isTable ? await withTable(file) : file
}

async function textIn(name: string, bytes: Uint8Array, isTable: boolean): Promise<Pick<ImportFile, 'text' | 'encoding'>> {
  // A text that begins with a letter in ASCII has NUL beside it in UTF-16 alone.
  if (bytes[0] === 0 || bytes[1] === 0) throw unreadable(name, 'it is in UTF-16 without a byte order mark, or no text')
  const encoding = encodingOf(bytes)
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch (error) {
    const western = isTable && encoding === 'utf-8' ? await inTurns(westernText(bytes)) : undefined
    if (western === undefined) throw unreadable(name, 'it is no UTF-8 text', error)
    return { text: western, encoding: 'Windows-1252' }
  }
}

/**
 * Letters of the bytes 0x80 to 0x9f (WHATWG Encoding, index windows-1252); all others are those of Latin-1, and a control character stands for a byte without one. TextDecoder of Node 20.20
 * takes these for Latin-1 too.
 */
const WESTERN = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
/** A letter of UTF-8 that is no ASCII (RFC 3629 §4), in bytes that are shown as Latin-1. */
const UTF8_LETTER =
  /[\u00c2-\u00df][\u0080-\u00bf]|\u00e0[\u00a0-\u00bf][\u0080-\u00bf]|[\u00e1-\u00ec\u00ee\u00ef][\u0080-\u00bf]{2}|\u00ed[\u0080-\u009f][\u0080-\u00bf]|\u00f0[\u0090-\u00bf][\u0080-\u00bf]{2}|[\u00f1-\u00f3][\u0080-\u00bf]{3}|\u00f4[\u0080-\u008f][\u0080-\u00bf]{2}/

/** The code of a byte in Windows-1252; 0 for one that no table has. */
const CODES = Uint16Array.from({ length: 256 }, (_, byte) => {
  const code = byte >= 0x80 && byte < 0xa0 ? WESTERN.charCodeAt(byte - 0x80) : byte
  const isControl = (code < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) || (code >= 0x7f && code < 0xa0)
  return isControl ? 0 : code
})

/**
 * A table as spreadsheets on Windows write "CSV" in western languages; undefined: it is something else. What has letters in UTF-8 is none, such as a text that was cut within one: the whole ones
 * would be read wrong.
 */
function* westernText(bytes: Uint8Array): Steps<string | undefined> {
  const codes = new Uint16Array(bytes.length)
  for (let start = 0; start < bytes.length; start += BYTES_OF_A_STEP) {
    const end = Math.min(start + BYTES_OF_A_STEP, bytes.length)
    // With what a letter that begins in it may reach into.
    if (UTF8_LETTER.test(Buffer.from(bytes.subarray(start, end + 3)).toString('latin1'))) return undefined
    for (let at = start; at < end; at++) {
      const code = CODES[bytes[at] ?? 0] ?? 0
      if (code === 0) return undefined
      codes[at] = code
    }
    yield
  }
  return Buffer.from(codes.buffer).toString('utf16le')
}

/** Some milliseconds. */
const BYTES_OF_A_STEP = 500_000

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
    return { ok: true, rows: rows.filter(isFilled) }
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    const why = error.limit === 'content' ? error.message : `it ${error.message}`
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name} as a workbook: ${why}`, { field: 'file', cause: error })
  }
}

function isFilled({ line, cells }: TableRow): boolean {
  return line === 1 || cells.some((cell) => cell !== '')
}
