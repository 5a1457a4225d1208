import type { Sheet, WrittenInput } from '../encode/file-parts.ts'
import type { TablePages } from '../encode/pdf-pages.ts'
import type { ArchiveInput } from './archive-files.ts'
import type { FeedInput } from './feed-records.ts'
import type { ImageInput } from './image-size.ts'
import type { SoapInput } from './soap-answer.ts'
import type { TableInput } from './table-rows.ts'
import type { WorkbookInput } from './workbook-rows.ts'

/** A decoder that runs in a thread: gives its result item by item; the thread bounds and groups them. Throws DecodeFault. */
export type Decoder<Input, Item> = (input: Input) => AsyncGenerator<Item>

/** Loads a decoder, with its library: only in the thread. */
const load = {
  archive: async () => (await import('./archive-files.ts')).archiveFiles,
  feed: async () => (await import('./feed-records.ts')).feedRecords,
  image: async () => (await import('./image-size.ts')).imagePixels,
  soap: async () => (await import('./soap-answer.ts')).soapAnswer,
  table: async () => (await import('./table-rows.ts')).tableRows,
  workbook: async () => (await import('./workbook-rows.ts')).workbookRows,
  // Files that are written take as long as those that are read.
  pdf: async () => (await import('../encode/file-parts.ts')).pdfParts,
  sheet: async () => (await import('../encode/file-parts.ts')).sheetParts,
} satisfies Readonly<Record<string, () => Promise<Decoder<never, unknown>>>>

/** How much processor time a document of each format may take, in milliseconds, from the start in the thread, with the time that its library takes to load. The largest documents allowed take a tenth of it. */
export const DEADLINE_MS: Readonly<Record<DecoderName, number>> = {
  archive: 10_000,
  feed: 10_000,
  image: 5_000,
  soap: 5_000,
  table: 10_000,
  workbook: 15_000,
  // Half a millisecond a row.
  pdf: 120_000,
  sheet: 15_000,
}

/** What each decoder takes. */
export interface DecoderInputs {
  readonly archive: ArchiveInput
  readonly feed: FeedInput
  readonly image: ImageInput
  readonly soap: SoapInput
  readonly table: TableInput
  readonly workbook: WorkbookInput
  readonly pdf: WrittenInput<TablePages>
  readonly sheet: WrittenInput<Sheet>
}

export type DecoderName = keyof typeof load
export type DecodedItem<Name extends DecoderName> =
  Awaited<ReturnType<(typeof load)[Name]>> extends Decoder<never, infer Item> ? Item : never

/** The decoder of a name, for the thread. */
export async function loadDecoder(name: DecoderName): Promise<Decoder<never, unknown>> {
  return await load[name]()
}
