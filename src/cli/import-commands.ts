import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { ImportDiff, ImportFile, ImportInput } from '../operator/imports/import-document.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ImportOptions extends TenantOption {
  readonly dryRun?: boolean
  readonly merge?: boolean
  readonly json?: boolean
}

type IdsByChange = Readonly<Record<'added' | 'changed' | 'removed', readonly unknown[]>> & {
  readonly unchanged?: readonly unknown[]
}

/** How one kind of file is imported: `run` does it, `present` gives what `--json` prints and the lines after the head. */
interface ImportKind<D extends IdsByChange> {
  readonly description: string
  /** What `--merge` does; absent: there is none. */
  readonly merge?: string
  run(operator: OperatorContext, input: ImportInput): Promise<D>
  present(diff: D): { readonly value: object; readonly lines: readonly string[] }
}

/** Adds `import <file>` to a command. */
export function addImport<D extends IdsByChange>(parent: Command, { description, merge, run, present }: ImportKind<D>): void {
  const command = withStoreOptions(parent.command('import <file>').description(description))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
  if (merge !== undefined) command.option('--merge', merge)
  command.option('--json').action((path: string, options: ImportOptions) =>
    operateFor(options, async (operator, tenantId) => {
      const dryRun = options.dryRun === true
      const diff = await run(operator, { tenantId, file: readImportFile(path), dryRun, merge: options.merge === true })
      const { value, lines } = present(diff)
      print(options.json, { tenant: tenantId, dry_run: dryRun, ...value }, [headOf(tenantId, dryRun, diff), ...lines])
    }),
  )
}

/** A difference of ids, as it is printed. */
export function presentIds(diff: Omit<ImportDiff, 'unchanged'>) {
  const { added, changed, removed } = diff
  return {
    value: diff,
    lines: [...added.map((id) => `+ ${id}`), ...removed.map((id) => `- ${id}`), ...changed.map((id) => `~ ${id}`)],
  }
}

function headOf(tenantId: string, dryRun: boolean, { added, changed, removed, unchanged }: IdsByChange): string {
  const counts = [`${added.length} added`, `${changed.length} changed`, `${removed.length} removed`]
  const all = unchanged === undefined ? counts : [...counts, `${unchanged.length} unchanged`]
  return `${dryRun ? 'would import' : 'imported'} into ${tenantId}: ${all.join(', ')}`
}

/** Adds `export [--out <file>]` to a command. */
export function addExport<O extends TenantOption & { readonly out?: string }>(
  parent: Command,
  description: string,
  textOf: (operator: OperatorContext, tenantId: string, options: O) => Promise<string>,
): Command {
  return withStoreOptions(parent.command('export').description(description))
    .option('--tenant <id>')
    .option('--out <file>', 'file to write (default: standard output)')
    .action((options: O) =>
      operateFor(options, async (operator, tenantId) => writeExport(options.out, await textOf(operator, tenantId, options))),
    )
}

/** A document as the text of an export. */
export function exportText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

/** An import file with its text. Throws INVALID_REQUEST when it cannot be read at all. */
export function readImportFile(path: string): ImportFile {
  try {
    return { name: path, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no UTF-8 text' : 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${path}: ${reason}`, { field: 'file', cause: error })
  }
}

function writeExport(out: string | undefined, text: string): void {
  if (out === undefined) process.stdout.write(text)
  else writeFileSync(out, text)
}
