import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Where the official contract lives. The SDK package ships the schemas as data; the running server reads that data
 * and never loads the SDK's code.
 */
const sdkRoot = dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'))

/** Folder of the official JSON Schemas of one release line, e.g. `3.0`. */
export function schemaFolder(release: string): string {
  return join(sdkRoot, 'dist', 'lib', 'schemas-data', release)
}

/** File of the public keys that the official request-signing grader signs with, of one patch release such as `3.0.6`. */
export function graderKeyFile(patch: string): string {
  return join(sdkRoot, 'compliance', 'cache', patch, 'test-vectors', 'request-signing', 'keys.json')
}

/** Reads one official schema-data file as JSON. Throws when the file is absent: the contract is a hard dependency. */
export function readContract<T>(release: string, path: string): T {
  return JSON.parse(readFileSync(join(schemaFolder(release), path), 'utf8'))
}
