import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { comparePatches } from './contract-files/compare-patches.ts'
import type { ContractSource } from './contract-source.ts'
import { RELEASES } from './releases.ts'

/** A release that can be served: where its contract lies, which patch it is and where it came from. */
export interface PresentRelease {
  readonly source: ContractSource
  /** The patch release, e.g. `3.1.27`. */
  readonly patch: string
  /** Where the schemas came from, for people. */
  readonly origin: string
  /** How many tasks the release has. */
  readonly tools: number
  readonly place: 'build' | 'data folder'
}

/** Where a data folder holds the contract of a line that was added to it. */
export function addedFolder(dataFolder: string, line: string): string {
  return join(dataFolder, 'contracts', line)
}

/**
 * The releases that are there, ascending: of each line the contract of the build, or that of the data folder where its patch is later. Validators of
 * the latter are compiled on first use.
 */
export function presentReleases(dataFolder?: string, sources: readonly ContractSource[] = RELEASES): readonly PresentRelease[] {
  return sources.flatMap((source) => {
    const { compiled: _, ...uncompiled } = source
    const built = describe(source, 'build')
    const added =
      dataFolder === undefined
        ? undefined
        : describe({ ...uncompiled, folder: addedFolder(dataFolder, source.line) }, 'data folder')
    const later = built && added && comparePatches(added.patch, built.patch) > 0 ? added : built
    return later ?? []
  })
}

/** Where the contract of each line lies that this server can speak; a folder may be missing. */
export function currentSources(dataFolder: string): readonly ContractSource[] {
  const present = new Map(presentReleases(dataFolder).map(({ source }) => [source.line, source]))
  return RELEASES.map((source) => present.get(source.line) ?? source)
}

/** Lines that this server can speak and whose contracts the build did not have. */
export function missingLines(sources: readonly ContractSource[] = RELEASES): readonly string[] {
  return sources.filter(({ folder }) => !existsSync(join(folder, 'manifest.json'))).map(({ line }) => line)
}

function describe(source: ContractSource, place: PresentRelease['place']): PresentRelease | undefined {
  if (!existsSync(join(source.folder, 'manifest.json'))) return undefined
  const manifest = JSON.parse(readFileSync(join(source.folder, 'manifest.json'), 'utf8'))
  const file = join(source.folder, 'source.json')
  const origin = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).file : 'npm @adcp/sdk'
  return { source, patch: manifest.adcp_version, origin, tools: Object.keys(manifest.tools).length, place }
}
