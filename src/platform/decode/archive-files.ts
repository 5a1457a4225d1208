import type { Decoder } from './decoders.ts'
import { type UnzipLimits, unzipBounded } from './unzip-bounded.ts'

/** The bytes of a zip archive, and how much it may hold. */
export interface ArchiveInput extends UnzipLimits {
  readonly bytes: Uint8Array
}

/** Names and contents of the files of a zip archive, one a part; bytes that are no archive have none. */
export const archiveFiles: Decoder<ArchiveInput, readonly [string, Uint8Array]> = async function* ({ bytes, ...limits }) {
  yield* unzipBounded(bytes, limits)
}
