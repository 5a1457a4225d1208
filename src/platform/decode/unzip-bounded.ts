import { Unzip, UnzipInflate } from 'fflate'
import { DecodeFault } from './decode-fault.ts'

/** Unpacks to 4 MB at most: deflate packs no more than 1,032 bytes into one. */
const STEP_BYTES = 4096

export interface UnzipLimits {
  readonly maxFiles: number
  /** Bytes of all files together. */
  readonly maxBytes: number
}

/**
 * Files of a zip archive by name. It is unpacked {@link STEP_BYTES} at a time: the sizes that an archive declares may be wrong, so what counts is what came out
 * so far. Bytes that are no archive have no files. Throws DecodeFault.
 */
export function unzipBounded(archive: Uint8Array, { maxFiles, maxBytes }: UnzipLimits): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, GrowingBytes>()
  let count = 0
  let bytes = 0
  const reader = new Unzip((file) => {
    const whole = new GrowingBytes()
    files.set(file.name, whole)
    count += 1
    if (count > maxFiles) throw new DecodeFault('size', `has more than ${maxFiles} files`)
    file.ondata = (error, part) => {
      if (error) throw error
      bytes += part.length
      if (bytes > maxBytes) throw new DecodeFault('size', `unpacks to more than ${maxBytes} bytes`)
      whole.add(part)
    }
    file.start()
  })
  reader.register(UnzipInflate)
  try {
    for (let at = 0; at < archive.length; at += STEP_BYTES)
      reader.push(archive.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= archive.length)
  } catch (error) {
    throw error instanceof DecodeFault ? error : new DecodeFault('content', 'is no zip archive that can be read')
  }
  return new Map([...files].map(([name, whole]) => [name, whole.bytes()]))
}

const FIRST_BYTES = 65_536

/** Bytes that come part by part, in one piece of memory: thousands of parts that stay until the last one leave more of it behind than they had. */
class GrowingBytes {
  #memory = Buffer.alloc(0)
  #length = 0

  add(part: Uint8Array): void {
    const length = this.#length + part.length
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length, FIRST_BYTES))
      larger.set(this.#memory.subarray(0, this.#length))
      this.#memory = larger
    }
    this.#memory.set(part, this.#length)
    this.#length = length
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length)
  }
}
