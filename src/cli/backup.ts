import { Command } from 'commander'
import { type BackedUp, backUp, restoreBackup } from '../operator/store/back-up.ts'
import { printCopied, progressOnStderr } from './copy.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface BackupOptions extends StoreOptions {
  readonly to: string
  readonly json?: boolean
}

interface RestoreOptions extends StoreOptions {
  readonly from: string
  readonly json?: boolean
}

const SECRET = 'the deployment secret is not in it: save deployment.secret (or SALES_AGENT_SECRET) separately, as it is now'

/** `sales-agent backup --to FILE`: the whole store as one SQLite file, while servers run. */
export function backupCommand(): Command {
  return withAnswerOptions(new Command('backup'))
    .requiredOption('--to <file>', 'file to make; one that exists is not overwritten')
    .action(async (options: BackupOptions) =>
      printBackup(options.json, await backUp(configOf(options), options.to, progressOnStderr())),
    )
}

/** `sales-agent restore --from FILE`: a backup as the store of a configuration that has none. */
export function restoreCommand(): Command {
  return withAnswerOptions(new Command('restore'))
    .requiredOption('--from <file>', 'file that "sales-agent backup" made')
    .action(async (options: RestoreOptions) =>
      printBackup(options.json, await restoreBackup(configOf(options), options.from, progressOnStderr())),
    )
}

function printBackup(json: boolean | undefined, done: BackedUp): void {
  if ('tables' in done) printCopied(json, done)
  else print(json, done, [`${done.to}: ${done.bytes} bytes, checked`, SECRET])
}
