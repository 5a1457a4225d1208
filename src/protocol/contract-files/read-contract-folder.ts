import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Manifest } from '../manifest.ts'
import type { Schema } from '../schema-places.ts'

/** A release as a folder holds it: that of the SDK, or one that {@link writeContract} wrote. */
export interface FolderRelease {
  readonly manifest: Manifest
  /** Schema documents by their official relative path, each with an `$id`. */
  readonly documents: ReadonlyMap<string, Schema>
}

/** Reads a contract folder whole. Throws what the file system throws when there is none. */
export function readContractFolder(folder: string): FolderRelease {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const documents = new Map<string, Schema>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (!entry.isFile() || !path.endsWith('.json') || path.startsWith('bundled/')) continue
    const document: Schema = JSON.parse(readFileSync(join(folder, path), 'utf8'))
    if (typeof document.$id === 'string' && !path.startsWith('manifest') && path !== 'index.json') documents.set(path, document)
  }
  return { manifest, documents }
}
