import type { Sheet } from '../encode/file-parts.ts'
import type { TablePages } from '../encode/pdf-pages.ts'
import { decode } from './decode.ts'

const NO_BYTES = new Uint8Array()

/** A PDF that is made in a thread, as documents of others are read. Throws DecodeFault when it takes too long, or too many others are being made. */
export async function writtenPdf(content: TablePages): Promise<Uint8Array> {
  return Buffer.concat(await decode('pdf', { bytes: NO_BYTES, content }))
}

/** A workbook, in the same way. */
export async function writtenSheet(content: Sheet): Promise<Uint8Array> {
  return Buffer.concat(await decode('sheet', { bytes: NO_BYTES, content }))
}
