import { randomUUID } from 'node:crypto'
import { close, createReadStream, createWriteStream, fstatSync, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'

/** One gzipped export in a temporary file. */
export interface ExportFile {
  /** What the export was made of; two of one version differ at most in times of verification. */
  readonly version: string
  /** Names these very bytes. */
  readonly id: string
  readonly madeAt: number
  /** Length in bytes. */
  readonly size: number
  /** The bytes from `start` to `end`, both included. To be read or destroyed. */
  read(start: number, end: number): Readable
}

/** Exports made at once: each reads and compresses the whole index. */
const MOST_AT_ONCE = 2

/**
 * Keeps the newest export in a temporary file, so that readers share the work of making it and can ask for a part of it. Readers of an older
 * one get it to its end. The file is taken out of its folder as soon as it is open, where the system allows that: a process that is killed leaves none.
 */
export class ExportFiles {
  readonly #lines: () => AsyncIterable<string>
  #newest: { readonly file: ExportFile; readonly retire: () => void } | undefined
  readonly #making = new Map<string, Promise<ExportFile>>()

  constructor(lines: () => AsyncIterable<string>) {
    this.#lines = lines
  }

  /** The newest export. */
  get newest(): ExportFile | undefined {
    return this.#newest?.file
  }

  /**
   * Makes the export of a version; callers that come meanwhile get the same one. Undefined when as many of other versions are being made as
   * may be at once. Throws what reading the lines throws.
   */
  make(version: string): Promise<ExportFile> | undefined {
    const making = this.#making.get(version)
    if (making || this.#making.size >= MOST_AT_ONCE) return making
    const file = this.#write(version).finally(() => this.#making.delete(version))
    this.#making.set(version, file)
    return file
  }

  async #write(version: string): Promise<ExportFile> {
    const madeAt = performance.now()
    const folder = await mkdtemp(join(tmpdir(), 'directory-export-'))
    const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined)
    // Not a FileHandle: one that is dropped unclosed, as at the end of the process, makes Node warn.
    const path = join(folder, 'export.ndjson.gz')
    const fd = openSync(path, 'wx+', 0o600)
    try {
      await remove()
      const gzip = createGzip({ level: constants.Z_BEST_SPEED })
      await pipeline(Readable.from(this.#lines()), gzip, createWriteStream(path, { fd, autoClose: false }))
      const { size } = fstatSync(fd)
      const readers = new Readers({ path, fd }, remove)
      const file = { version, id: randomUUID(), madeAt, size, read: (start: number, end: number) => readers.read(start, end) }
      this.#newest?.retire()
      this.#newest = { file, retire: () => readers.retire() }
      return file
    } catch (error) {
      close(fd)
      await remove()
      throw error
    }
  }
}

interface OpenFile {
  readonly path: string
  readonly fd: number
}

/** Counts who reads a file, and closes it when it is retired and the last of them has ended. */
class Readers {
  readonly #open: OpenFile
  readonly #remove: () => Promise<void>
  #count = 0
  #retired = false

  constructor(open: OpenFile, remove: () => Promise<void>) {
    this.#open = open
    this.#remove = remove
  }

  read(start: number, end: number): Readable {
    this.#count += 1
    const { path, fd } = this.#open
    const stream = createReadStream(path, { fd, start, end, autoClose: false })
    stream.once('close', () => {
      this.#count -= 1
      this.#close()
    })
    return stream
  }

  /** One turn of the event loop later, because a caller that has just got the file begins to read it in this one. */
  retire(): void {
    setImmediate(() => {
      this.#retired = true
      this.#close()
    })
  }

  #close(): void {
    if (this.#retired && this.#count === 0) close(this.#open.fd, () => void this.#remove())
  }
}
