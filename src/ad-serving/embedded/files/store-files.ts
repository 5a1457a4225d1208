import { createHash } from 'node:crypto'
import type { Db, Store } from '../../../store/database.ts'
import {
  beginEmbeddedFile,
  completeEmbeddedFile,
  findEmbeddedFile,
  PART_BYTES,
  putEmbeddedBundle,
  putEmbeddedFilePart,
} from '../../../store/embedded/files.ts'

/** Stores files of one publisher. */
export interface StoreFile {
  /** Stores a file and gives its id. The same content under the same type is stored once. */
  (content: Buffer, mimeType: string): Promise<string>
  /** Stores which files (ids by path) are an HTML5 bundle, and gives its id. */
  bundle(files: ReadonlyMap<string, string>): Promise<string>
}

/** Half of SHA-256 cannot be made to collide by chance or on purpose, and addresses stay short. */
const ID_LENGTH = 32

/** Stores a file in short transactions, a part at a time, so that calls come in between. Until a creative uses it, it is dropped after a day. */
export function storeFilesOf(store: Store, tenantId: string, clock: () => Date): StoreFile {
  const write = (work: (tx: Db) => Promise<void>) => store.transaction(work)
  const storeFile = async (content: Buffer, mimeType: string): Promise<string> => {
    const fileId = createHash('sha256').update(mimeType).update('\0').update(content).digest('hex').slice(0, ID_LENGTH)
    await write((tx) => beginEmbeddedFile(tx, tenantId, { fileId, mimeType, size: content.length }, clock()))
    if (await findEmbeddedFile(store.read, tenantId, fileId)) return fileId
    for (let part = 0; part * PART_BYTES < content.length; part += 1) {
      const bytes = content.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await write((tx) => putEmbeddedFilePart(tx, tenantId, fileId, part, bytes))
    }
    await write((tx) => completeEmbeddedFile(tx, tenantId, fileId))
    return fileId
  }
  const bundle = async (files: ReadonlyMap<string, string>): Promise<string> => {
    const bundleId = createHash('sha256')
      .update(JSON.stringify([...files]))
      .digest('hex')
      .slice(0, ID_LENGTH)
    await write((tx) => putEmbeddedBundle(tx, tenantId, bundleId, files))
    return bundleId
  }
  return Object.assign(storeFile, { bundle })
}
