import { ArchiveFault } from '../../platform/decode/archive-fault.ts'
import { type ArchiveFiles, readArchive } from '../../platform/decode/contract-archive.ts'
import { isObject } from '../is-object.ts'
import type { Manifest } from '../manifest.ts'
import type { Schema } from '../schema-places.ts'
import { comparePatches } from './compare-patches.ts'

/** One patch release as an archive holds it. */
export interface ArchiveRelease {
  /** The release line, e.g. `3.1`. */
  readonly line: string
  /** The patch release, e.g. `3.1.27`. */
  readonly patch: string
  readonly manifest: Manifest
  /** Schema documents as they were published, by their official relative path. */
  readonly documents: ReadonlyMap<string, Schema>
}

/** `adcp/_schemas/3.1/manifest.json` in the Python client's wheel, `adcp-3.1.27/schemas/manifest.json` in an official bundle. */
const MANIFEST = /^(?<folder>[^/]+\/(?:_schemas\/[^/]+|schemas)\/)manifest\.json$/

/** Dereferenced copies, and tool descriptions for MCP: nothing refers to them. */
const UNUSED = /^(?:bundled|mcp)\//

/** Paths become files of a folder. */
const PLAIN_PATH = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\/){0,8}[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.json$/

/** A release without pre-release part: those of the wheel and of bundles that an operator would serve. */
const PATCH = /^(?<line>(?:0|[1-9]\d{0,2})\.(?:0|[1-9]\d{0,2}))\.(?:0|[1-9]\d{0,4})$/

/**
 * The releases in an archive, one a line: of several patches of a line the latest. Read in two passes, the manifests first, so that only what is used
 * is unpacked. `lines` limits them. Throws {@link ArchiveFault} for an archive without a release, and for files that are not as published ones are.
 */
export async function readReleases(file: string, lines?: readonly string[]): Promise<readonly ArchiveRelease[]> {
  const manifests = await readArchive(file, (path) => MANIFEST.test(path))
  const found = [...manifests].map(([path, bytes]) => located(path, jsonOf(file, path, bytes)))
  if (found.length === 0)
    throw new ArchiveFault(`${file} holds no AdCP schemas (a folder "schemas" or "_schemas" with manifest.json)`)
  const latest = new Map<string, (typeof found)[number]>()
  for (const each of found.sort((a, b) => comparePatches(a.patch, b.patch))) latest.set(each.line, each)
  const wanted = [...latest.values()].filter(({ line }) => lines === undefined || lines.includes(line))
  const folders = wanted.map(({ folder }) => folder)
  const files = await readArchive(file, (path) => folders.some((folder) => isDocument(path, folder)))
  return wanted.map(({ folder, ...release }) => ({ ...release, documents: documentsBelow(file, folder, files) }))
}

function located(path: string, manifest: unknown) {
  const folder = MANIFEST.exec(path)?.groups?.folder ?? ''
  if (!isManifest(manifest)) throw new ArchiveFault(`${path} is not a manifest of an AdCP release`)
  const line = PATCH.exec(manifest.adcp_version)?.groups?.line
  if (line === undefined)
    throw new ArchiveFault(`${path} is of "${manifest.adcp_version}"; only releases such as 3.1.27 can be used`)
  return { folder, line, patch: manifest.adcp_version, manifest }
}

function isDocument(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false
  const relative = path.slice(folder.length)
  return PLAIN_PATH.test(relative) && !UNUSED.test(relative) && !relative.startsWith('manifest.') && relative !== 'index.json'
}

function documentsBelow(file: string, folder: string, files: ArchiveFiles): ReadonlyMap<string, Schema> {
  const documents = new Map<string, Schema>()
  for (const [path, bytes] of files) {
    if (!isDocument(path, folder)) continue
    const document = jsonOf(file, path, bytes)
    if (!isObject(document)) throw new ArchiveFault(`${path} in ${file} is not a JSON Schema document`)
    documents.set(path.slice(folder.length), document)
  }
  return documents
}

function jsonOf(file: string, path: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new ArchiveFault(`${path} in ${file} is not JSON`, { cause: error })
  }
}

function isManifest(value: unknown): value is Manifest {
  return isObject(value) && typeof value.adcp_version === 'string' && isObject(value.error_codes) && areTools(value.tools)
}

function areTools(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.values(value).every(
    (tool) => isObject(tool) && typeof tool.request_schema === 'string' && typeof tool.response_schema === 'string',
  )
}
