import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { StoreAddress } from '../store/copy-store.ts'
import { storeName } from '../store/open.ts'
import { requireDataFolder } from '../store/private-files.ts'
import { requireBackup, requireFolderOf } from '../store/sqlite/backup-file.ts'
import { backupSqlite } from '../store/sqlite/sqlite-bulk.ts'
import { copyAndTell, embedded } from './copy.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

interface BackupOptions extends StoreOptions {
  readonly to: string
  readonly json?: boolean
}

interface RestoreOptions extends StoreOptions {
  readonly from: string
  readonly json?: boolean
}

const SECRET = 'the deployment secret is not in it: save deployment.secret (or SALES_AGENT_SECRET) separately'

/** `sales-agent backup --to FILE`: the whole store as one SQLite file, while servers run. */
export function backupCommand(): Command {
  return withStoreOptions(
    new Command('backup').description('write a consistent copy of the whole store to one file; servers may run'),
  )
    .requiredOption('--to <file>', 'file to make; one that exists is not overwritten')
    .option('--json')
    .action(async (options: BackupOptions) => {
      const config = configOf(options)
      const to: StoreAddress = { kind: 'sqlite', path: resolve(options.to) }
      requireFolderOf(to.path)
      if (config.database !== undefined) {
        const from: StoreAddress = { kind: 'postgres', url: config.database }
        return copyAndTell(options.json, from, to)
      }
      const from = embedded(config)
      if (from.kind !== 'sqlite' || !existsSync(from.path)) throw noStore(config)
      const bytes = await backupSqlite(from.path, to.path)
      tell(options.json, { from: storeName(config), to: to.path, bytes })
    })
}

/** `sales-agent restore --from FILE`: a backup as the store of a configuration that has none. */
export function restoreCommand(): Command {
  return withStoreOptions(
    new Command('restore').description('make the store from a backup; what exists already is not overwritten'),
  )
    .requiredOption('--from <file>', 'file that "sales-agent backup" made')
    .option('--json')
    .action(async (options: RestoreOptions) => {
      const config = configOf(options)
      const from: StoreAddress = { kind: 'sqlite', path: resolve(options.from) }
      requireBackup(from.path)
      if (config.database !== undefined) {
        const to: StoreAddress = { kind: 'postgres', url: config.database }
        return copyAndTell(options.json, from, to)
      }
      const to = embedded(config)
      if (to.kind !== 'sqlite') return
      requireDataFolder(config.data)
      const bytes = await backupSqlite(from.path, to.path)
      tell(options.json, { from: from.path, to: to.path, bytes })
    })
}

function tell(json: boolean | undefined, done: { readonly from: string; readonly to: string; readonly bytes: number }): void {
  print(json, done, [`${done.to}: ${done.bytes} bytes, checked`, SECRET])
}

function noStore(config: Config): AdcpError {
  return new AdcpError('INVALID_REQUEST', `no store in ${storeName(config)}: there is nothing to back up`, { field: 'data' })
}
