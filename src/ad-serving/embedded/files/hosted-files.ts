import { LRUCache } from 'lru-cache'
import type { Db } from '../../../store/database.ts'
import {
  type EmbeddedFile,
  findBundleFile,
  findEmbeddedFile,
  PART_BYTES,
  readEmbeddedFilePart,
} from '../../../store/embedded/files.ts'

/** Hosted files, for reading. */
export interface HostedFiles {
  find(tenantId: string, fileId: string): Promise<EmbeddedFile | undefined>
  /** A file of an HTML5 bundle by its path in it. */
  findInBundle(tenantId: string, bundleId: string, path: string): Promise<EmbeddedFile | undefined>
  /** The bytes from `start` to `end`, both included, a part at a time. */
  read(tenantId: string, file: EmbeddedFile, start: number, end: number): AsyncGenerator<Buffer>
}

/** Parts of files that were read lately: what pages show is asked for again and again. */
const CACHED_BYTES = 64_000_000

/** Reads hosted files from the store, by parts, through a cache of 64 MB. Files never change, so that nothing in it is ever stale. */
export function createHostedFiles(db: Db): HostedFiles {
  const parts = new LRUCache<string, Buffer>({ maxSize: CACHED_BYTES, sizeCalculation: (part) => part.length + 1 })
  const readPart = async (tenantId: string, { fileId }: EmbeddedFile, part: number): Promise<Buffer> => {
    const key = `${tenantId}/${fileId}/${part}`
    const content = parts.get(key) ?? (await readEmbeddedFilePart(db, tenantId, fileId, part))
    if (!content) throw new Error(`part ${part} of the hosted file ${fileId} is missing`)
    parts.set(key, content)
    return content
  }
  return {
    find: (tenantId, fileId) => findEmbeddedFile(db, tenantId, fileId),
    async findInBundle(tenantId, bundleId, path) {
      const fileId = await findBundleFile(db, tenantId, bundleId, path)
      return fileId === undefined ? undefined : findEmbeddedFile(db, tenantId, fileId)
    },
    async *read(tenantId, file, start, end) {
      for (let part = Math.floor(start / PART_BYTES); part * PART_BYTES <= end; part += 1) {
        const first = part * PART_BYTES
        const content = await readPart(tenantId, file, part)
        yield content.subarray(Math.max(0, start - first), end - first + 1)
      }
    },
  }
}
