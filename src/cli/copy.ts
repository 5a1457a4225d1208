import { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { CopyProgress, TableSum } from '../store/bulk.ts'
import { addressName, copyStore, type StoreAddress, storeAddress } from '../store/copy-store.ts'
import { storePath } from '../store/open.ts'
import { requireFolderOf } from '../store/sqlite/backup-file.ts'
import { print, table } from './output.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

interface CopyOptions extends StoreOptions {
  readonly from?: string
  readonly to?: string
  readonly json?: boolean
}

/** `sales-agent copy`: moves a deployment from one engine to the other. */
export function copyCommand(): Command {
  return withStoreOptions(
    new Command('copy').description(
      'copy a whole store into an empty one, and compare every table; stop the servers on it first',
    ),
  )
    .option('--from <store>', 'sqlite:PATH or postgres://… (default: the embedded store of the data folder)')
    .option('--to <store>', 'sqlite:PATH or postgres://… (default: the configured database)')
    .option('--json')
    .action(async (options: CopyOptions) => {
      const config = configOf(options)
      const from = options.from === undefined ? embedded(config) : storeAddress(options.from, 'from')
      const to = options.to === undefined ? configured(config) : storeAddress(options.to, 'to')
      if (to.kind === 'sqlite') requireFolderOf(to.path)
      await copyAndTell(options.json, from, to)
    })
}

/** Copies a store into an empty one, tells progress on standard error and prints what stands where then. Throws what `copyStore` throws. */
export async function copyAndTell(json: boolean | undefined, from: StoreAddress, to: StoreAddress): Promise<void> {
  const sums = await copyStore(
    from,
    to,
    progressTo((line) => process.stderr.write(line)),
  )
  printSums(json, from, to, sums)
}

/** Prints what stands where now. */
function printSums(json: boolean | undefined, from: StoreAddress, to: StoreAddress, sums: readonly TableSum[]): void {
  const rows = sums.reduce((sum, each) => sum + each.rows, 0)
  print(json, { from: addressName(from), to: addressName(to), rows, tables: sums }, [
    ...table(
      ['TABLE', 'ROWS', 'CHECKSUM'],
      sums.filter((sum) => sum.rows > 0).map((sum) => [sum.table, String(sum.rows), sum.checksum]),
    ),
    '',
    `${rows} rows of ${sums.length} tables are in ${addressName(to)} as they are in ${addressName(from)}`,
  ])
}

/** How often progress is told. */
const TELL_MS = 2_000

/** Tells progress now and then: a copy of minutes is not silent, a short one says nothing. */
function progressTo(write: (line: string) => void): (progress: CopyProgress) => void {
  let toldAt = performance.now()
  return ({ table: name, rows }) => {
    if (performance.now() - toldAt < TELL_MS) return
    toldAt = performance.now()
    write(`${name}: ${rows} rows\n`)
  }
}

/** The embedded store of a configuration. */
export function embedded(config: Config): StoreAddress {
  return { kind: 'sqlite', path: storePath(config.data) }
}

function configured({ database }: Config): StoreAddress {
  if (database === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'name the target with --to, or set database (SALES_AGENT_DATABASE)', { field: 'to' })
  }
  return { kind: 'postgres', url: database }
}
