import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

/**
 * Where a data folder holds the contract of a patch release that was added to it. Each has a folder of its own, which stays as it is: a running server
 * reads schemas when it first needs them.
 */
export function addedFolder(dataFolder: string, patch: string): string {
  return join(dataFolder, 'contracts', patch)
}

/** The latest patch of a line that was added to a data folder. */
function latestAdded(dataFolder: string, line: string): string | undefined {
  const folder = join(dataFolder, 'contracts')
  const patches = existsSync(folder) ? readdirSync(folder).filter((name) => isPatchOf(line, name)) : []
  return patches.sort(comparePatches).at(-1)
}

function isPatchOf(line: string, name: string): boolean {
  return name.startsWith(`${line}.`) && /^\d+$/.test(name.slice(line.length + 1))
}

/**
 * The releases that are there, ascending: of each line the contract of the build, or that of the data folder where its patch is later. Validators of
 * the latter are compiled on first use.
 */
export function presentReleases(dataFolder?: string, sources: readonly ContractSource[] = RELEASES): readonly PresentRelease[] {
  return sources.flatMap((source) => {
    const built = describe(source, 'build')
    const added = dataFolder === undefined ? undefined : addedRelease(dataFolder, source)
    const later = built && added && comparePatches(added.patch, built.patch) > 0 ? added : built
    return later ?? []
  })
}

function addedRelease(dataFolder: string, { compiled: _, ...source }: ContractSource): PresentRelease | undefined {
  const patch = latestAdded(dataFolder, source.line)
  return patch === undefined ? undefined : describe({ ...source, folder: addedFolder(dataFolder, patch) }, 'data folder')
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
