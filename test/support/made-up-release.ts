import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BASE_SOURCE, type ContractSource } from '../../src/protocol/contract-source.ts'
import type { LineConverter } from '../../src/protocol/converters/line-converter.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema document is changed freely
type Json = Record<string, any>

/** A contract folder of a release that nobody published: that of another one, changed. */
export class MadeUpRelease {
  readonly folder = mkdtempSync(join(tmpdir(), 'sales-agent-release-'))
  readonly line: string

  /** `from`: the folder that it begins with; by default that of the lowest release. */
  constructor(line: string, from: string = BASE_SOURCE.folder) {
    this.line = line
    cpSync(from, this.folder, { recursive: true, filter: (path) => !path.startsWith(join(from, 'bundled')) })
    for (const path of this.#files()) {
      const file = join(this.folder, path)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\/schemas\/3\.\d+(?:\.\d+)?\//g, `/schemas/${line}/`))
    }
  }

  /** Changes a file of the folder; one that is not there begins empty. */
  change(path: string, change: (document: Json) => void): void {
    const file = join(this.folder, path)
    const document = readOrEmpty(file)
    change(document)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(document))
  }

  /** Changes every schema of the folder. */
  changeAll(change: (document: Json) => void): void {
    for (const path of this.#files().filter((each) => each !== 'manifest.json')) this.change(path, change)
  }

  /** The row by which it is served. */
  source(converter: LineConverter): ContractSource {
    return { line: this.line, folder: this.folder, converter }
  }

  #files(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.json'))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

function readOrEmpty(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
