import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { CopyProgress } from '../../store/bulk.ts'
import type { StoreAddress } from '../../store/copy-store.ts'
import { storeName } from '../../store/open.ts'
import { requireDataFolder } from '../../store/private-files.ts'
import { requireBackup, requireFolderOf } from '../../store/sqlite/backup-file.ts'
import { backupSqlite } from '../../store/sqlite/sqlite-bulk.ts'
import { emptyAdEventSpool } from './ad-event-spool.ts'
import { type Copied, copyBetween } from './copy-deployment.ts'
import { embeddedStore } from './store-address.ts'

/** A backup that was made or restored: of an embedded store as a file of so many bytes, of PostgreSQL table by table. */
export type BackedUp = { readonly from: string; readonly to: string; readonly bytes: number } | Copied

/**
 * Writes a consistent copy of the whole store to a new SQLite file, while servers run. Ad events in the spool of this machine are brought to the store first. Throws INVALID_REQUEST when there is no store, or when the
 * file exists.
 */
export async function backUp(config: Config, file: string, onProgress: (progress: CopyProgress) => void): Promise<BackedUp> {
  const to: StoreAddress = { kind: 'sqlite', path: resolve(file) }
  requireFolderOf(to.path)
  await emptyAdEventSpool(config, () => new Date())
  if (config.database !== undefined) return copyBetween({ kind: 'postgres', url: config.database }, to, onProgress)
  const from = embeddedStore(config)
  if (!existsSync(from.path)) {
    throw new AdcpError('INVALID_REQUEST', `no store in ${storeName(config)}: there is nothing to back up`, { field: 'data' })
  }
  return { from: storeName(config), to: to.path, bytes: await backupSqlite(from.path, to.path) }
}

/** Makes the store of a configuration that has none from a backup. Throws INVALID_REQUEST when the file is no backup, or when there is a store. */
export async function restoreBackup(
  config: Config,
  file: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<BackedUp> {
  const from: StoreAddress = { kind: 'sqlite', path: resolve(file) }
  requireBackup(from.path)
  if (config.database !== undefined) return copyBetween(from, { kind: 'postgres', url: config.database }, onProgress)
  const to = embeddedStore(config)
  requireDataFolder(config.data)
  return { from: from.path, to: to.path, bytes: await backupSqlite(from.path, to.path) }
}
