import { accessSync, chmodSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs'

/** Only for the user that runs the program. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OF_OTHERS = 0o077
const STICKY = 0o1000

/** Files by which a folder is known as a data folder. */
const OWN_FILES = ['sales-agent.sqlite', 'deployment.secret']

/**
 * Makes a data folder (mode 0700) where there is none, and takes the rights of others from one that is empty or holds files of this program. A folder
 * of something else, one of another user and one that is shared (sticky, such as `/tmp`) stay as they are.
 */
export function requireDataFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  const { mode, uid } = lstatSync(path)
  if ((mode & OF_OTHERS) === 0 || (mode & STICKY) !== 0 || !isMine(uid)) return
  const names = readdirSync(path)
  if (names.length === 0 || OWN_FILES.some((name) => names.includes(name))) chmodSync(path, FOLDER_MODE)
}

/**
 * Makes an empty file (mode 0600) where there is none, and takes the rights of others from one that is there and from the journals beside it. SQLite
 * gives the journals that it makes the rights of their database (SQLite source, os_unix.c: findCreateFileMode).
 */
export function requirePrivateFile(path: string): void {
  createMissing(path)
  for (const each of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (!existsSync(each)) continue
    const { mode, uid } = lstatSync(each)
    if ((mode & OF_OTHERS) !== 0 && isMine(uid)) chmodSync(each, FILE_MODE)
  }
}

/**
 * A file that is there is never opened here: closing it would drop the locks of every connection of this process to it (SQLite, "How To Corrupt An SQLite
 * Database File", 2.2), and another program that opens the database then would take its write-ahead log away. Throws what the system says of one that
 * cannot be written.
 */
function createMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    accessSync(path, constants.W_OK)
  }
}

/** Only root may change the rights of what another user owns; Windows has no such rights. */
function isMine(uid: number): boolean {
  const me = process.getuid?.()
  return me !== undefined && (me === 0 || me === uid)
}
