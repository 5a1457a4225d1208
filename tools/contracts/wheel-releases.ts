import { join } from 'node:path'
import { ArchiveFault } from '../../src/platform/decode/archive-fault.ts'
import { readReleases } from '../../src/protocol/contract-files/archive-release.ts'
import { contractDocuments } from '../../src/protocol/contract-files/contract-documents.ts'
import { writeContract } from '../../src/protocol/contract-files/write-contract.ts'
import { compileValidators } from './compile-validators.ts'
import type { ContractCache, KeptArchive } from './contract-cache.ts'
import { downloadWheel } from './download-wheel.ts'
import { PINNED_WHEEL, WHEEL_LINES } from './pinned-wheel.ts'
import { writeValidators } from './write-validators.ts'

/** Makes the releases that come from archives: from a file that was given, now or to an earlier build, else from the pinned wheel. */
export class WheelReleases {
  readonly #cache: ContractCache
  #pinned: Promise<KeptArchive | undefined> | undefined
  /** Why the pinned wheel could not be had. */
  reason = ''

  constructor(cache: ContractCache) {
    this.#cache = cache
  }

  /** Takes the releases of a file from now on. Throws {@link ArchiveFault} for a file that holds none of the lines that builds take from files. */
  async choose(file: string): Promise<void> {
    const releases = await readReleases(file, WHEEL_LINES)
    if (releases.length === 0)
      throw new ArchiveFault(`${file} holds neither ${WHEEL_LINES.join(' nor ')}; 3.0 comes with npm @adcp/sdk`)
    const { sha256 } = await this.#cache.keepArchive(file)
    for (const { line } of releases) this.#cache.choose(line, sha256)
  }

  /** The folder with `contracts` and `validators` of a line; undefined when it cannot be had. */
  async make(line: string): Promise<string | undefined> {
    const chosen = this.#cache.chosen[line] ?? PINNED_WHEEL.sha256
    const made = this.#cache.made(chosen, line)
    if (made !== undefined) return made
    const archive = this.#cache.archive(chosen) ?? (await this.#download())
    return archive && (this.#cache.made(archive.sha256, line) ?? this.#write(archive, line))
  }

  #download(): Promise<KeptArchive | undefined> {
    this.#pinned ??= downloadWheel((path) => this.#cache.keepArchive(path)).then((result) => {
      if (typeof result !== 'string') return result
      this.reason = result
      return undefined
    })
    return this.#pinned
  }

  async #write(archive: KeptArchive, line: string): Promise<string> {
    const [release] = await readReleases(archive.path, [line])
    if (!release) throw new ArchiveFault(`${archive.path} does not hold ${line}`)
    const contract = contractDocuments(release)
    const compiled = compileValidators(contract.documents, contract.roots)
    console.log(`AdCP ${release.patch} (${archive.file}): ${compiled.modules.size} validators compiled`)
    return this.#cache.make(archive.sha256, line, (folder) => {
      writeContract(join(folder, 'contracts'), contract, { patch: release.patch, file: archive.file, sha256: archive.sha256 })
      writeValidators(join(folder, 'validators'), compiled)
    })
  }
}
