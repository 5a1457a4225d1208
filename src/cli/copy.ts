import { Command } from 'commander'
import { type Copied, copyDeployment } from '../operator/store/copy-deployment.ts'
import { print, table } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface CopyOptions extends StoreOptions {
  readonly from?: string
  readonly to?: string
  readonly json?: boolean
}

/** `sales-agent copy`: moves a deployment from one engine to the other. */
export function copyCommand(): Command {
  return withAnswerOptions(new Command('copy'))
    .option('--from <store>', 'sqlite:PATH or postgres://… (default: the embedded store of the data folder)')
    .option('--to <store>', 'sqlite:PATH or postgres://… (default: the configured database)')
    .action(async (options: CopyOptions) => {
      const { from, to } = options
      printCopied(options.json, await copyDeployment(configOf(options), { from, to, onProgress: progressOnStderr() }))
    })
}

/** Prints what each table of the target holds. */
export function printCopied(json: boolean | undefined, { from, to, rows, tables }: Copied): void {
  print(json, { from, to, rows, tables }, [
    ...table(
      ['TABLE', 'ROWS', 'CHECKSUM'],
      tables.filter((sum) => sum.rows > 0).map((sum) => [sum.table, String(sum.rows), sum.checksum]),
    ),
    '',
    `${rows} rows of ${tables.length} tables are in ${to} as they are in ${from}`,
  ])
}

/** How often progress is printed. */
const PROGRESS_MS = 2_000

/** Prints progress on standard error every two seconds, so that a copy of minutes is not silent. */
export function progressOnStderr(): (progress: { readonly table: string; readonly rows: number }) => void {
  let printedAt = performance.now()
  return ({ table: name, rows }) => {
    if (performance.now() - printedAt < PROGRESS_MS) return
    printedAt = performance.now()
    process.stderr.write(`${name}: ${rows} rows\n`)
  }
}
