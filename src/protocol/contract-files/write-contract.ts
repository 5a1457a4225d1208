import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ContractDocuments } from './contract-documents.ts'

/** Where a contract came from, beside its schemas in `source.json`. */
export interface ContractOrigin {
  /** The patch release, e.g. `3.1.27`. */
  readonly patch: string
  /** Name of the archive. */
  readonly file: string
  /** SHA-256 of the archive, in hexadecimal. */
  readonly sha256: string
}

/**
 * Writes a contract folder: `manifest.json`, `source.json` where an archive is the origin, and the schemas under their official relative paths. Replaces
 * what is there.
 */
export function writeContract(
  folder: string,
  { manifest, documents }: Pick<ContractDocuments, 'manifest' | 'documents'>,
  origin?: ContractOrigin,
): void {
  rmSync(folder, { recursive: true, force: true })
  const source: readonly (readonly [string, unknown])[] = origin ? [['source.json', origin]] : []
  const files: readonly (readonly [string, unknown])[] = [['manifest.json', manifest], ...source, ...documents]
  for (const [path, document] of files) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(document))
  }
}
