import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
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

/**
 * Keeps the newest export in a temporary file, so that readers share the work of making it and can ask for a part of it. Readers of an older
 * one get it to its end. The file is taken out of its folder as soon as it is open, where the system allows that: a process that is killed leaves none.
 */
export class ExportFiles {
  readonly #lines: () => AsyncIterable<string>
  #newest: { readonly file: ExportFile; readonly retire: () => void } | undefined
  #making: { readonly version: string; readonly file: Promise<ExportFile> } | undefined

  constructor(lines: () => AsyncIterable<string>) {
    this.#lines = lines
  }

  /** The newest export. */
  get newest(): ExportFile | undefined {
    return this.#newest?.file
  }

  /** Whether the export of this version is being made. */
  isMaking(version: string): boolean {
    return this.#making?.version === version
  }

  /** Makes the export of a version; callers that come meanwhile get the same one. Throws what reading the lines throws. */
  make(version: string): Promise<ExportFile> {
    if (this.#making?.version === version) return this.#making.file
    const file = this.#write(version).finally(() => {
      if (this.#making?.file === file) this.#making = undefined
    })
    this.#making = { version, file }
    return file
  }

  async #write(version: string): Promise<ExportFile> {
    const madeAt = performance.now()
    const folder = await mkdtemp(join(tmpdir(), 'directory-export-'))
    const remove = () => rm(folder, { recursive: true, force: true }).catch(() => undefined)
    const handle = await open(join(folder, 'export.ndjson.gz'), 'wx+', 0o600)
    try {
      await remove()
      const gzip = createGzip({ level: constants.Z_BEST_SPEED })
      await pipeline(Readable.from(this.#lines()), gzip, handle.createWriteStream({ autoClose: false }))
      const { size } = await handle.stat()
      const readers = new Readers(handle, remove)
      const file = { version, id: randomUUID(), madeAt, size, read: (start: number, end: number) => readers.read(start, end) }
      this.#newest?.retire()
      this.#newest = { file, retire: () => readers.retire() }
      return file
    } catch (error) {
      await handle.close()
      await remove()
      throw error
    }
  }
}

/** Counts who reads a file, and closes it when it is retired and the last of them has ended. */
class Readers {
  readonly #handle: FileHandle
  readonly #remove: () => Promise<void>
  #count = 0
  #retired = false

  constructor(handle: FileHandle, remove: () => Promise<void>) {
    this.#handle = handle
    this.#remove = remove
  }

  read(start: number, end: number): Readable {
    this.#count += 1
    const stream = this.#handle.createReadStream({ start, end, autoClose: false })
    stream.once('close', () => {
      this.#count -= 1
      this.#close()
    })
    return stream
  }

  retire(): void {
    this.#retired = true
    this.#close()
  }

  #close(): void {
    if (this.#retired && this.#count === 0) void this.#handle.close().then(this.#remove, this.#remove)
  }
}
