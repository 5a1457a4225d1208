import { writeFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import type { ImportDiff, ImportInput } from '../operator/imports/import-document.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { confirm } from './confirm.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print } from './output.ts'
import { readImportFile } from './read-import-file.ts'
import { withStoreOptions } from './store-options.ts'

interface ImportOptions extends TenantOption {
  readonly dryRun?: boolean
  readonly replace?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

type IdsByChange = Readonly<Record<'added' | 'changed' | 'removed', readonly unknown[]>> & {
  readonly unchanged?: readonly unknown[]
}

/** How one kind of file is imported: `run` does it, `present` gives what `--json` prints and the lines after the head. */
interface ImportKind<D extends IdsByChange> {
  readonly description: string
  /** What `--replace` takes away; absent: the file is all there is. */
  readonly replace?: string
  run(operator: OperatorContext, input: ImportInput): Promise<D>
  present(diff: D): { readonly value: object; readonly lines: readonly string[] }
  /** What a person should know before it is taken away, a line each. */
  touched?(operator: OperatorContext, tenantId: string, diff: D): Promise<readonly string[]>
  /** Called when the file has been imported. */
  imported?(operator: OperatorContext, tenantId: string): Promise<void>
  /** Called when the file was compared alone. */
  tried?(operator: OperatorContext, input: Omit<ImportInput, 'dryRun'>): Promise<void>
}

/** Adds `import <file>` to a command. What the file does not list stays, unless `--replace` is given and confirmed; kinds without it ask before they take something away. */
export function addImport<D extends IdsByChange>(parent: Command, kind: ImportKind<D>): void {
  const { description, replace, run, present } = kind
  const command = withStoreOptions(parent.command('import <file>').description(description))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
  if (replace !== undefined) {
    command.option('--replace', replace).addOption(new Option('--merge', 'the default').hideHelp())
  }
  command
    .option('--yes', 'do not ask before something is taken away')
    .option('--json')
    .action((path: string, options: ImportOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const dryRun = options.dryRun === true
        const merge = replace !== undefined && options.replace !== true
        const input = { tenantId, file: await readImportFile(path), merge }
        if (!merge && !dryRun && !options.yes) await confirmRemovals(operator, input, kind)
        const diff = await run(operator, { ...input, dryRun })
        const { value, lines } = present(diff)
        const touched = dryRun ? ((await kind.touched?.(operator, tenantId, diff)) ?? []) : []
        print(options.json, { tenant: tenantId, dry_run: dryRun, ...value }, [
          headOf(tenantId, dryRun, diff),
          ...lines,
          ...touched,
        ])
        if (dryRun) await kind.tried?.(operator, input)
        else await kind.imported?.(operator, tenantId)
      }),
    )
}

/** Throws INVALID_REQUEST unless a person agrees to what a replacement takes away. */
async function confirmRemovals<D extends IdsByChange>(
  operator: OperatorContext,
  input: Omit<ImportInput, 'dryRun'>,
  { run, touched }: ImportKind<D>,
): Promise<void> {
  const diff = await run(operator, { ...input, dryRun: true })
  if (diff.removed.length === 0) return
  const lines = (await touched?.(operator, input.tenantId, diff)) ?? []
  const ids = diff.removed.map(String)
  const shown = ids.length > MAX_SHOWN ? [...ids.slice(0, MAX_SHOWN), `${ids.length - MAX_SHOWN} more`] : ids
  await confirm([`this takes away ${ids.length}: ${shown.join(', ')}.`, ...lines, 'Go on?'].join('\n'))
}

/** Ids that a question lists. */
const MAX_SHOWN = 20

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

function writeExport(out: string | undefined, text: string): void {
  if (out === undefined) process.stdout.write(text)
  else writeFileSync(out, text)
}
