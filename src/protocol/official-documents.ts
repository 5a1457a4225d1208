import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { withCheckedMembers } from './checked-members.ts'
import { BASE_SOURCE } from './contract-source.ts'
import type { Schema } from './schema-places.ts'

/** Every official schema document in a contract folder that can be referred to, as requests and responses are held to it: see {@link withCheckedMembers}. */
export function* officialDocuments(folder = BASE_SOURCE.folder): Generator<Schema> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (
      !entry.isFile() ||
      !path.endsWith('.json') ||
      path.startsWith('bundled/') ||
      path.startsWith('manifest') ||
      path === 'index.json'
    )
      continue
    const document: Schema = JSON.parse(readFileSync(join(folder, path), 'utf8'))
    if (typeof document.$id === 'string') yield withCheckedMembers(document)
  }
}
