import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A library that this version needs and that is not there as it needs it. */
export interface DependencyFault {
  readonly name: string
  readonly wanted: string
  /** Undefined: it is not installed. */
  readonly installed: string | undefined
}

interface PackageFile {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const OWN = fileURLToPath(new URL('../../package.json', import.meta.url))

/** The libraries of a package file that are missing, or of another version than it names: so it is after an update without `npm ci`. */
export function dependencyFaults(packageFile: string = OWN): readonly DependencyFault[] {
  const { resolve } = createRequire(packageFile)
  return Object.entries(read(packageFile).dependencies ?? {}).flatMap(([name, asked]) => {
    const file = (resolve.paths(name) ?? []).map((folder) => join(folder, name, 'package.json')).find((path) => existsSync(path))
    const installed = file === undefined ? undefined : (read(file).version ?? '')
    // `npm:@a2a-js/sdk@1.3.0` is another package under this name.
    const wanted = asked.slice(asked.lastIndexOf('@') + 1)
    const isExact = /^\d+\.\d+\.\d+/.test(wanted)
    return installed === undefined || (isExact && installed !== wanted) ? [{ name, wanted, installed }] : []
  })
}

/** What a person reads: which libraries it is about, and what to do. */
export function describeFaults(faults: readonly DependencyFault[]): string {
  const each = faults.map(({ name, wanted, installed }) =>
    installed === undefined ? `${name} ${wanted} is not installed` : `${name} is ${installed} instead of ${wanted}`,
  )
  return `${each.join('; ')}: run npm ci (or npm install) in the folder of this program`
}

function read(path: string): PackageFile {
  return JSON.parse(readFileSync(path, 'utf8'))
}
