import type { Unzip } from 'fflate'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Unpacks to 4 MB at most: deflate packs no more than 1,032 bytes into one. */
const STEP_BYTES = 4096

export interface UnzipLimits {
  /** Whether a file is returned; others are unpacked for their size alone. What it throws ends the unpacking. */
  readonly wants: (name: string) => boolean
  readonly maxFiles: number
  /** Bytes of all files together. */
  readonly maxBytes: number
}

/** An archive that exceeds a limit. The message says which, as the end of a sentence about the archive. */
export class ArchiveTooLarge extends Error {
  override readonly name = 'ArchiveTooLarge'
}

/**
 * Files of a zip archive by name, each in parts. It is unpacked {@link STEP_BYTES} at a time, and other calls go on between the steps: the sizes that an
 * archive declares may be wrong, so what counts is what came out so far. Throws ArchiveTooLarge, and what fflate throws for a damaged archive; bytes that are
 * no archive have no files.
 */
export async function unzip(
  archive: Uint8Array,
  { wants, maxFiles, maxBytes }: UnzipLimits,
): Promise<ReadonlyMap<string, readonly Uint8Array[]>> {
  const files = new Map<string, readonly Uint8Array[]>()
  let count = 0
  let bytes = 0
  const { Unzip, UnzipInflate } = await import('fflate')
  const reader: Unzip = new Unzip((file) => {
    const parts: Uint8Array[] = []
    const isWanted = wants(file.name)
    if (isWanted) files.set(file.name, parts)
    count += 1
    if (count > maxFiles) throw new ArchiveTooLarge(`has more than ${maxFiles} files`)
    file.ondata = (error, part) => {
      if (error) throw error
      bytes += part.length
      if (bytes > maxBytes) throw new ArchiveTooLarge(`unpacks to more than ${maxBytes} bytes`)
      if (isWanted) parts.push(part)
    }
    file.start()
  })
  reader.register(UnzipInflate)
  for (let at = 0; at < archive.length; at += STEP_BYTES) {
    reader.push(archive.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= archive.length)
    await yieldToEventLoop()
  }
  return files
}
