import { extname } from 'node:path'
import { decode } from '../../platform/decode/decode.ts'
import { DecodeFault } from '../../platform/decode/decode-fault.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { ImportFile } from './import-document.ts'

/**
 * A file to import from its bytes: text in UTF-8, in UTF-16 behind a byte order mark, or the first sheet of an `.xlsx` workbook by its name. Throws INVALID_REQUEST for what is neither, and for a
 * workbook that exceeds the limits of its decoder.
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
  try {
    return (await decode('workbook', { bytes })).flat()
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    const why = error.limit === 'content' ? error.message : `it ${error.message}`
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name} as a workbook: ${why}`, { field: 'file', cause: error })
  }
}
