import { existsSync, readFileSync } from 'node:fs'
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
  /** Folder of the validators that the build compiled (compiled-validators.ts). Without it they are compiled on first use. */
  readonly compiled?: string
  /** How the line differs from the one before it; the lowest has none. */
  readonly converter?: LineConverter
}

/** Where the build leaves the validators of a line. */
export function compiledFolder(line: string): string {
  return fileURLToPath(new URL(`../../dist/validators/${line}`, import.meta.url))
}

/** Where the build leaves the contract of a line that no package of npm has. */
export function contractFolder(line: string): string {
  return fileURLToPath(new URL(`../../dist/contracts/${line}`, import.meta.url))
}

/** Name of the file, beside the schemas of 3.0, with the public keys that the official request-signing grader signs with. */
export const GRADER_KEYS = 'grader-keys.json'

/** What the npm package `@adcp/sdk` holds of 3.0 as data. Builds take it from there, as does a source tree that was not built; an installed program has no such package. */
export function sdkRelease(): { readonly folder: string; readonly graderKeys: string } {
  const root = dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json'))
  const folder = join(root, 'dist', 'lib', 'schemas-data', '3.0')
  const { adcp_version: patch }: { adcp_version: string } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  return { folder, graderKeys: join(root, 'compliance/cache', patch, 'test-vectors/request-signing/keys.json') }
}

const builtBase = contractFolder('3.0')
const isBuilt = existsSync(join(builtBase, 'manifest.json'))

/** The contract of 3.0, whose model the tasks are written in. It is always there. */
export const BASE_SOURCE: ContractSource = {
  line: '3.0',
  folder: isBuilt ? builtBase : sdkRelease().folder,
  compiled: compiledFolder('3.0'),
}

/** File of the public keys that the official request-signing grader signs with. */
export function graderKeyFile(): string {
  return isBuilt ? join(builtBase, GRADER_KEYS) : sdkRelease().graderKeys
}
