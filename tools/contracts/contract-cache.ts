import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { sha256Of } from '../../src/protocol/contract-files/file-hash.ts'

/** An archive of schemas, kept by its hash. */
export interface KeptArchive {
  readonly path: string
  readonly file: string
  readonly sha256: string
}

/**
 * What builds keep for the next build: `<root>/<source>/archive/` holds the archive, `<root>/<source>/<maker>/<line>/` what was made of it. The source is
 * named by the SHA-256 of the archive, the maker by a hash of the code that makes contracts, so that neither change goes unnoticed.
 */
export class ContractCache {
  readonly #root: string
  readonly #maker: string

  constructor(root: string, maker: string) {
    this.#root = root
    this.#maker = maker
  }

  /** The archive of a hash; undefined when it is not kept. */
  archive(sha256: string): KeptArchive | undefined {
    const folder = join(this.#root, sha256, 'archive')
    const [file] = existsSync(folder) ? readdirSync(folder) : []
    return file === undefined ? undefined : { path: join(folder, file), file, sha256 }
  }

  /** Keeps a copy of an archive. */
  async keepArchive(path: string): Promise<KeptArchive> {
    const sha256 = await sha256Of(path)
    const known = this.archive(sha256)
    if (known) return known
    const file = basename(path)
    this.#whole(join(this.#root, sha256, 'archive'), (folder) => copyFileSync(path, join(folder, file)))
    return { path: join(this.#root, sha256, 'archive', file), file, sha256 }
  }

  /** The folder made of a source for a line; undefined when it was not made by this code. */
  made(source: string, line: string): string | undefined {
    const folder = this.#folderOf(source, line)
    return existsSync(folder) ? folder : undefined
  }

  /** Makes the folder of a source and a line, whole or not at all. What other code made of the source is removed. */
  make(source: string, line: string, write: (folder: string) => void): string {
    const folder = this.#folderOf(source, line)
    this.#whole(folder, write)
    for (const other of readdirSync(join(this.#root, source))) {
      if (other !== 'archive' && other !== this.#maker) rmSync(join(this.#root, source, other), { recursive: true, force: true })
    }
    return folder
  }

  /** Archives that a build was given for a line, by line: later builds take them too. */
  get chosen(): Readonly<Record<string, string>> {
    const file = join(this.#root, 'chosen.json')
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  }

  choose(line: string, sha256: string): void {
    mkdirSync(this.#root, { recursive: true })
    writeFileSync(join(this.#root, 'chosen.json'), JSON.stringify({ ...this.chosen, [line]: sha256 }))
  }

  #folderOf(source: string, line: string): string {
    return join(this.#root, source, this.#maker, line)
  }

  /** A folder appears under its name when it is complete; of two builds at a time the first one's stays. */
  #whole(folder: string, write: (folder: string) => void): void {
    mkdirSync(join(folder, '..'), { recursive: true })
    mkdirSync(join(this.#root, 'unfinished'), { recursive: true })
    const unfinished = mkdtempSync(join(this.#root, 'unfinished', 'folder-'))
    try {
      write(unfinished)
      renameSync(unfinished, folder)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      if (!existsSync(folder)) throw error
    }
  }
}
