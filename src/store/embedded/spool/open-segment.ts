import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A segment that is being written. */
export interface OpenSegment {
  /** In bytes. */
  readonly size: number
  /** Resolves once the bytes are on the disk. */
  append(bytes: Buffer): Promise<void>
  /** Whether the file is still under the name that it was made with. */
  isInPlace(): Promise<boolean>
  close(): Promise<void>
}

/** Makes a file (mode 0600) that is found again after a loss of power. Throws when there is one of this name. */
export async function openSegment(folder: string, name: string): Promise<OpenSegment> {
  const path = join(folder, name)
  const file = await open(path, 'ax', 0o600)
  const { ino } = await file.stat({ bigint: true })
  await syncFolder(folder)
  let size = 0
  return {
    get size() {
      return size
    },
    async append(bytes) {
      await file.appendFile(bytes)
      await file.datasync()
      size += bytes.length
    },
    async isInPlace() {
      const found = await stat(path, { bigint: true }).catch(() => undefined)
      return found?.ino === ino
    },
    close: () => file.close(),
  }
}

/** The entry of a new file is durable once its folder is (fsync(2)); Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
