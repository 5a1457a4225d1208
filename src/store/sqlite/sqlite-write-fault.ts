import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import type { Store } from '../database.ts'

/** With less than this no import, backup or checkpoint of the log can be relied on to end. */
const LEAST_FREE_BYTES = 8 * 1024 * 1024

/** Free bytes of the file system that holds a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Why the file takes no writes; undefined when it does. Writes its header (the number that programs may keep there, which this one does not use) and
 * commits: a small write can find room in the log of a full disk, so that free space is looked at too.
 */
export async function sqliteWriteFault(
  { transaction }: Pick<Store, 'transaction'>,
  path: string,
  freeBytes: (folder: string) => Promise<number>,
): Promise<string | undefined> {
  try {
    if ((await freeBytes(dirname(path))) < LEAST_FREE_BYTES) return 'the disk is full'
    await transaction((tx) => sql`PRAGMA user_version = 0`.execute(tx))
    return undefined
  } catch (error) {
    return wordsOf(error)
  }
}

/** SQLite's primary result codes ("Result and Error Codes"). */
const WORDS: readonly (readonly [number, string, string])[] = [
  [5, 'SQLITE_BUSY', 'another process holds the lock of the file'],
  [8, 'SQLITE_READONLY', 'the file is read-only'],
  [10, 'SQLITE_IOERR', 'the disk reports an error'],
  [11, 'SQLITE_CORRUPT', 'the file is damaged'],
  [13, 'SQLITE_FULL', 'the disk is full'],
  [14, 'SQLITE_CANTOPEN', 'the file cannot be opened'],
  [26, 'SQLITE_NOTADB', 'the file is damaged'],
]

/** What SQLite's error means, as either driver throws it. */
function wordsOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : ''
    const number = 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined
    const known = WORDS.find(([primary, name]) => primary === number || code.startsWith(name))
    if (known) return known[2]
  }
  return 'a write failed'
}
