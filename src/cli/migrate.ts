import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { pendingMigrations, unknownMigrations } from '../store/database.ts'
import { migrations } from '../store/migrations/index.ts'
import { migrateStore, openStore, storeExists, storeName } from '../store/open.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

interface MigrateOptions extends StoreOptions {
  readonly check?: boolean
  readonly json?: boolean
}

/** `sales-agent migrate`: brings the schema up to date, under a lock; with `--check` it only tells (exit code 1: not up to date). */
export function migrateCommand(): Command {
  return withStoreOptions(
    new Command('migrate').description('bring the schema of the store up to date; several at once do it once'),
  )
    .option('--check', 'change nothing; exit code 1 when the schema is older or newer than this program')
    .option('--json')
    .action((options: MigrateOptions) => (options.check === true ? check(options) : migrate(options)))
}

async function migrate(options: MigrateOptions): Promise<void> {
  const config = configOf(options)
  const applied = await migrateStore(config)
  const name = storeName(config)
  print(options.json, { store: name, applied }, [
    applied.length === 0
      ? `${name} is up to date`
      : `${name}: applied ${applied.length} migrations, the last is ${applied.at(-1)}`,
  ])
}

async function check(options: MigrateOptions): Promise<void> {
  const config = configOf(options)
  const { pending, unknown } = (await storeExists(config))
    ? await compare(config)
    : { pending: Object.keys(migrations), unknown: [] }
  const isUpToDate = pending.length + unknown.length === 0
  if (!isUpToDate) process.exitCode = 1
  print(options.json, { store: storeName(config), up_to_date: isUpToDate, pending, unknown }, [
    ...(isUpToDate ? [`${storeName(config)} is up to date`] : []),
    ...(pending.length > 0 ? [`pending: ${pending.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`made by a newer version of this program: ${unknown.join(', ')}`] : []),
  ])
}

/** Migrations that one of the two has and the other has not. */
async function compare(config: Config): Promise<{ readonly pending: string[]; readonly unknown: string[] }> {
  const store = await openStore(config, { create: false, migrate: false })
  try {
    return { pending: await pendingMigrations(store.read), unknown: await unknownMigrations(store.read) }
  } finally {
    await store.close()
  }
}
