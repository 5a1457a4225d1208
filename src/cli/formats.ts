import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { type FormatDocument, importFormats } from '../domain/creative/formats/custom-format.ts'
import { standardFormatIds } from '../domain/creative/formats/standard-formats.ts'
import { AdcpError } from '../protocol/errors.ts'
import { Schemas } from '../protocol/schemas.ts'
import { deleteCustomFormat, loadCustomFormats, saveCustomFormats } from '../store/creative/custom-formats.ts'
import type { Store } from '../store/database.ts'
import { loadCatalogue } from '../store/product/products.ts'
import { asOperator } from './as-operator.ts'
import { writeExport } from './import-document.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly merge?: boolean
  readonly out?: string
  readonly json?: boolean
}

export interface FormatsDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/**
 * Imports a file of a publisher's own formats and says what that changed, or would change. Throws INVALID_REQUEST with one issue a
 * problem, and CONFLICT when a product would lose a format that it sells; nothing is imported then.
 */
export async function importCustomFormats(
  store: Store,
  tenantId: string,
  file: string,
  options: { readonly dryRun: boolean; readonly merge: boolean; readonly schemas?: Schemas },
): Promise<FormatsDiff> {
  const schemas = options.schemas ?? new Schemas()
  const validators = { file: schemas.validator('own:formats-import.json'), format: schemas.validator('core/format.json') }
  const before = await loadCustomFormats(store.read, tenantId)
  const knownIds = new Set(options.merge ? before.map(({ id }) => id) : [])
  const read = importFormats(parseFile(file), validators, { standardIds: standardFormatIds, knownIds })
  if (!read.ok) {
    const lines = read.problems.map(({ pointer, message }) => `  ${pointer || '/'}: ${message}`)
    const issues = read.problems.map((problem) => ({ ...problem, keyword: 'import' }))
    throw new AdcpError('INVALID_REQUEST', [`${file} was not imported; ${lines.length} to repair:`, ...lines].join('\n'), {
      field: 'file',
      issues,
    })
  }
  const diff = diffOf(before, read.formats, options.merge)
  await requireUnsold(store, tenantId, diff.removed)
  if (!options.dryRun) {
    await asOperator(store, { task: 'formats.import', tenant: tenantId }).transaction((tx) =>
      saveCustomFormats(tx, tenantId, read.formats, { replace: !options.merge }, new Date()),
    )
  }
  return diff
}

function diffOf(before: readonly FormatDocument[], after: readonly FormatDocument[], merge: boolean): FormatsDiff {
  const old = new Map(before.map((format) => [format.id, JSON.stringify(format)]))
  const ids = new Set(after.map(({ id }) => id))
  return {
    added: after.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    changed: after.filter((format) => old.has(format.id) && old.get(format.id) !== JSON.stringify(format)).map(({ id }) => id),
    removed: merge ? [] : [...old.keys()].filter((id) => !ids.has(id)),
  }
}

async function requireUnsold(store: Store, tenantId: string, ids: readonly string[]): Promise<void> {
  const { products } = await loadCatalogue(store.read, tenantId)
  for (const id of ids) {
    const sold = products
      .filter(({ format_ids }) => format_ids?.some((format) => format === id))
      .map(({ product_id }) => product_id)
    if (sold.length > 0) throw new AdcpError('CONFLICT', `the format ${id} is sold by ${sold.join(', ')}`, { field: 'format' })
  }
}

function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${file}: ${reason}`, { field: 'file', cause: error })
  }
}

/** `sales-agent formats import|list|export|remove`: a publisher's own creative formats beside the standard ones. */
export function formatsCommand(): Command {
  const formats = new Command('formats').description("a publisher's own creative formats")
  withStoreOptions(formats.command('import <file>').description('replace the own formats with those of a JSON file'))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
    .option('--merge', 'keep formats that the file does not list')
    .option('--json')
    .action((file: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const dryRun = options.dryRun === true
        const diff = await importCustomFormats(store, tenantId, file, { dryRun, merge: options.merge === true })
        const { added, changed, removed } = diff
        const head = `${dryRun ? 'would import' : 'imported'} into ${tenantId}: ${added.length} added, ${changed.length} changed, ${removed.length} removed`
        const lines = [...added.map((id) => `+ ${id}`), ...changed.map((id) => `~ ${id}`), ...removed.map((id) => `- ${id}`)]
        print(options.json, { tenant: tenantId, dry_run: dryRun, ...diff }, [head, ...lines])
      }),
    )
  withStoreOptions(formats.command('list').description('list the own formats'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const own = await loadCustomFormats(store.read, await chooseTenant(store, options.tenant))
        const cells = own.map(({ id, type, name, assets = [] }) => [id, type, name, String(assets.length)])
        print(options.json, { formats: own }, table(['FORMAT', 'TYPE', 'NAME', 'SLOTS'], cells))
      }),
    )
  withStoreOptions(formats.command('export').description('write the own formats as a file that import reads'))
    .option('--tenant <id>')
    .option('--out <file>', 'file to write (default: standard output)')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const own = await loadCustomFormats(store.read, await chooseTenant(store, options.tenant))
        const text = `${JSON.stringify({ version: 1, formats: own }, null, 2)}\n`
        writeExport(options.out, text)
      }),
    )
  withStoreOptions(formats.command('remove <format>').description('remove one of the own formats'))
    .option('--tenant <id>')
    .option('--json')
    .action((formatId: string, options: Options) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        await requireUnsold(store, tenantId, [formatId])
        const there = await asOperator(store, { task: 'formats.remove', tenant: tenantId, subject: formatId }).transaction((tx) =>
          deleteCustomFormat(tx, tenantId, formatId),
        )
        if (!there)
          throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no format ${formatId} of its own`, { field: 'format' })
        print(options.json, { tenant: tenantId, removed: formatId }, [`removed ${formatId}`])
      }),
    )
  return formats
}
