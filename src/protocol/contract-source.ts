import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LineConverter } from './converters/line-converter.ts'

/** Where the contract of one release line lies. */
export interface ContractSource {
  /** The release line, e.g. `3.1`. */
  readonly line: string
  /** Folder of `manifest.json` and the schema files under their official relative paths, each with an `$id` `/schemas/<release>/<path>`. */
  readonly folder: string
  /** Folder of the validators that the build compiled (`index.json` and modules). Without it they are compiled on first use. */
  readonly compiled?: string
  /** How the line differs from the one before it; the lowest has none. */
  readonly converter?: LineConverter
}

/**
 * The SDK package holds the schemas of 3.0 as data; the running server reads that data and never loads the SDK's code.
 */
const sdkRoot = dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'))

/** Where the build leaves the validators of a line. */
export function compiledFolder(line: string): string {
  return fileURLToPath(new URL(`../../dist/validators/${line}`, import.meta.url))
}

/** Where the build leaves the contract of a line that no package of npm has. */
export function contractFolder(line: string): string {
  return fileURLToPath(new URL(`../../dist/contracts/${line}`, import.meta.url))
}

/** The contract of 3.0, whose model the tasks are written in. It is always there. */
export const BASE_SOURCE: ContractSource = {
  line: '3.0',
  folder: join(sdkRoot, 'dist', 'lib', 'schemas-data', '3.0'),
  compiled: compiledFolder('3.0'),
}

/** File of the public keys that the official request-signing grader signs with, of one patch release such as `3.0.6`. */
export function graderKeyFile(patch: string): string {
  return join(sdkRoot, 'compliance', 'cache', patch, 'test-vectors', 'request-signing', 'keys.json')
}
