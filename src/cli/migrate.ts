import { Command } from 'commander'
import { compareSchema, migrateSchema } from '../operator/store/migrate-schema.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface MigrateOptions extends StoreOptions {
  readonly check?: boolean
  readonly json?: boolean
}

/** `sales-agent migrate`: brings the schema up to date, under a lock; with `--check` it compares only (exit code 1: not up to date). */
export function migrateCommand(): Command {
  return withAnswerOptions(new Command('migrate'))
    .option('--check', 'change nothing; exit code 1 when the schema is older or newer than this program')
    .action((options: MigrateOptions) => (options.check === true ? check(options) : migrate(options)))
}

async function migrate(options: MigrateOptions): Promise<void> {
  const { store, applied } = await migrateSchema(configOf(options))
  print(options.json, { store, applied }, [
    applied.length === 0
      ? `${store} is up to date`
      : `${store}: applied ${applied.length} migrations, the last is ${applied.at(-1)}`,
  ])
}

async function check(options: MigrateOptions): Promise<void> {
  const { store, isUpToDate, pending, unknown } = await compareSchema(configOf(options))
  if (!isUpToDate) process.exitCode = 1
  print(options.json, { store, up_to_date: isUpToDate, pending, unknown }, [
    ...(isUpToDate ? [`${store} is up to date`] : []),
    ...(pending.length > 0 ? [`pending: ${pending.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`made by a newer version of this program: ${unknown.join(', ')}`] : []),
  ])
}
