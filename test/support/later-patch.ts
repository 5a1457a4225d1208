import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArchive } from '../../src/platform/decode/contract-archive.ts'
import { PINNED_WHEEL } from '../../tools/contracts/pinned-wheel.ts'
import { writeTarGz, writeZip } from './archives.ts'
import { wheelFolder } from './wheel.ts'

/** A schema document, freely changed. */
// biome-ignore lint/suspicious/noExplicitAny: documents of any shape are edited here
type Document = any

/** Schemas of a line in the pinned wheel, by their path in the release; dereferenced copies and tool descriptions are left out. */
async function publishedSchemas(line: string): Promise<Record<string, Document>> {
  const root = `adcp/_schemas/${line}/`
  const [file = PINNED_WHEEL.file] = readdirSync(wheelFolder)
  const isWanted = (path: string) => path.startsWith(root) && path.endsWith('.json') && !/\/(?:bundled|mcp)\//.test(path)
  const files = await readArchive(join(wheelFolder, file), isWanted)
  return Object.fromEntries(
    [...files].map(([path, bytes]) => [path.slice(root.length), JSON.parse(new TextDecoder().decode(bytes))]),
  )
}

/** Releases as they might be published later: the schemas of a line of the pinned wheel under another patch number, with changes. */
export class LaterPatches {
  readonly #folder: string

  /** Files are written to `folder`. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Writes `patch` as a wheel or as an official bundle; `change` edits the documents by path. Gives the file and its hash. */
  async write(
    patch: string,
    kind: 'whl' | 'tgz',
    change: (schemas: Record<string, Document>) => void = () => {},
  ): Promise<{ readonly file: string; readonly sha256: string }> {
    const line = patch.slice(0, patch.lastIndexOf('.'))
    const schemas = await publishedSchemas(line)
    schemas['manifest.json'].adcp_version = patch
    change(schemas)
    const file = join(this.#folder, `${patch}.${kind}`)
    if (kind === 'whl') writeZip(file, `adcp/_schemas/${line}`, schemas)
    else await writeTarGz(file, `adcp-${patch}/schemas`, schemas)
    return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
  }
}
