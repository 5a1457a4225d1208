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
    return wordsOf(error) ?? 'a write failed'
  }
}

/** Why a file, or the folder for it, cannot be opened; undefined for what is no fault of the system. A full disk shows as an error of the disk, too. */
export async function sqliteOpenFault(
  error: unknown,
  path: string,
  freeBytes: (folder: string) => Promise<number> = freeBytesOf,
): Promise<string | undefined> {
  const words = wordsOf(error)
  const free = words === undefined ? LEAST_FREE_BYTES : await freeBytes(dirname(path)).catch(() => LEAST_FREE_BYTES)
  return free < LEAST_FREE_BYTES ? 'the disk is full' : words
}

/** SQLite's primary result codes ("Result and Error Codes"), and what the system says (errno(3)). */
const WORDS: readonly (readonly [number | undefined, string, string])[] = [
  [5, 'SQLITE_BUSY', 'another process holds the lock of the file'],
  [8, 'SQLITE_READONLY', 'the file is read-only'],
  [10, 'SQLITE_IOERR', 'the disk reports an error'],
  [11, 'SQLITE_CORRUPT', 'the file is damaged'],
  [13, 'SQLITE_FULL', 'the disk is full'],
  [14, 'SQLITE_CANTOPEN', 'the file cannot be opened'],
  [26, 'SQLITE_NOTADB', 'the file is damaged'],
  [undefined, 'EROFS', 'the file system is read-only'],
  [undefined, 'EACCES', 'this user may not write there'],
  [undefined, 'EPERM', 'this user may not write there'],
  [undefined, 'ENOSPC', 'the disk is full'],
  [undefined, 'EDQUOT', 'the quota of this user is used up'],
  [undefined, 'ENOTDIR', 'a file is in the way of the folder'],
  [undefined, 'EEXIST', 'a file is in the way of the folder'],
]

/** What an error of the system or of SQLite means, as either driver throws it; undefined for any other. */
function wordsOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : ''
    const number = 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined
    const known = WORDS.find(([primary, name]) => (number !== undefined && primary === number) || code.startsWith(name))
    if (known) return known[2]
  }
  return undefined
}
