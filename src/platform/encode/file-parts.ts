import { type TablePages, tablePdf } from './pdf-pages.ts'
import { type SheetCell, workbook } from './workbook.ts'

/** What a workbook of one sheet is made of. */
export interface Sheet {
  readonly sheet: string
  readonly headings: readonly string[]
  readonly rows: readonly (readonly SheetCell[])[]
}

/** What is written to a file in a thread. Nothing of another is read: it has no bytes. */
export interface WrittenInput<Content> {
  readonly bytes: Uint8Array
  readonly content: Content
  /** Of the texts and numbers that are written. */
  readonly bytesAbout: number
}

/** Bytes of a part: small enough to be taken over without a stall. */
const PART_BYTES = 1_000_000

/** A PDF in parts. */
export async function* pdfParts({ content }: Pick<WrittenInput<TablePages>, 'content'>): AsyncGenerator<Uint8Array> {
  yield* partsOf(await tablePdf(content))
}

/** A workbook in parts. */
export async function* sheetParts({ content }: Pick<WrittenInput<Sheet>, 'content'>): AsyncGenerator<Uint8Array> {
  yield* partsOf(await workbook(content.sheet, content.headings, content.rows))
}

function* partsOf(file: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < file.length; at += PART_BYTES) yield file.slice(at, at + PART_BYTES)
}
