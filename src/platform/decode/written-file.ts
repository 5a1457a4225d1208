import type { Sheet } from '../encode/file-parts.ts'
import type { TablePages } from '../encode/pdf-pages.ts'
import type { SheetCell } from '../encode/workbook.ts'
import { decode } from './decode.ts'
import { DecodeFault } from './decode-fault.ts'

const NO_BYTES = new Uint8Array()

/** A PDF that is made in a thread, as documents of others are read. Throws DecodeFault when it takes too long, or too many others are being made. */
export async function writtenPdf(content: TablePages): Promise<Uint8Array> {
  const { characters } = sizeOf(content.rows)
  return Buffer.concat(await decode('pdf', { bytes: NO_BYTES, content, bytesAbout: characters }))
}

/** Of a workbook that is written, far below what the memory of a thread holds: where that is used up all at once, the process ends with it. */
const MOST_CELLS = 300_000
const MOST_CHARACTERS = 15_000_000

/** A workbook, in the same way. Throws DecodeFault for one of more than {@link MOST_CELLS} cells, or {@link MOST_CHARACTERS} characters, too. */
export async function writtenSheet(content: Sheet): Promise<Uint8Array> {
  const { cells, characters } = sizeOf(content.rows)
  if (cells > MOST_CELLS) throw new DecodeFault('size', `has more than ${MOST_CELLS} cells`)
  if (characters > MOST_CHARACTERS) throw new DecodeFault('size', `has more than ${MOST_CHARACTERS} characters`)
  return Buffer.concat(await decode('sheet', { bytes: NO_BYTES, content, bytesAbout: characters + cells * BYTES_OF_CELL }))
}

/** Of the cell of a workbook, beside its text. */
const BYTES_OF_CELL = 8

function sizeOf(rows: readonly (readonly SheetCell[])[]): { readonly cells: number; readonly characters: number } {
  let cells = 0
  let characters = 0
  for (const row of rows) {
    cells += row.length
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 0
  }
  return { cells, characters }
}
