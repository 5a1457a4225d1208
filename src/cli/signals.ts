import { Command } from 'commander'
import { importSignals } from '../domain/signal/import-signals.ts'
import type { SignalDocument, SignalsFile } from '../domain/signal/signal.ts'
import { Schemas } from '../protocol/schemas.ts'
import type { Store } from '../store/database.ts'
import { loadSignals, saveSignals } from '../store/signal/signals.ts'
import { asOperator } from './as-operator.ts'
import { diffEntries, type ImportDiff, printImport, readDocument, writeExport } from './import-document.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

export interface SignalImportOptions {
  /** Check and compare only. */
  readonly dryRun: boolean
  /** Keep signals that the file does not list. Default: the file is all there is. */
  readonly merge?: boolean
  readonly schemas?: Schemas
}

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly merge?: boolean
  readonly out?: string
  readonly json?: boolean
}

/**
 * Imports a signals file (schemas/signals-import.json) for a tenant and says what that changed (or would change), by segment ids. Throws
 * INVALID_REQUEST with one issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importSignalFile(
  store: Store,
  tenantId: string,
  path: string,
  { dryRun, merge = false, schemas = new Schemas() }: SignalImportOptions,
): Promise<ImportDiff> {
  const file = readSignals(path, schemas)
  if (dryRun) return diffOf((await loadSignals(store.read, tenantId)).signals, file.signals, merge)
  return asOperator(store, { task: 'signals.import', tenant: tenantId }).transaction(async (tx) => {
    const diff = diffOf((await loadSignals(tx, tenantId)).signals, file.signals, merge)
    await saveSignals(tx, tenantId, file, { merge }, new Date())
    return diff
  })
}

/** The signals of a tenant as a document of the import format. */
export async function exportSignals(store: Store, tenantId: string): Promise<SignalsFile> {
  const { providers, signals } = await loadSignals(store.read, tenantId)
  return { version: 1, ...(providers.length > 0 && { data_providers: providers }), signals }
}

/** `sales-agent signals import|export|list`. */
export function signalsCommand(): Command {
  const signals = new Command('signals').description('the signals (audiences, context) that a publisher offers')
  withStoreOptions(signals.command('import <file>').description('replace the signals with those of a JSON file'))
    .option('--tenant <id>')
    .option('--dry-run', 'check the file and show what would change')
    .option('--merge', 'keep signals that the file does not list')
    .option('--json')
    .action(importAction)
  withStoreOptions(signals.command('export').description('write the signals as a file that import reads'))
    .option('--tenant <id>')
    .option('--out <file>', 'file to write (default: standard output)')
    .action((options: Options) =>
      withStore(options, async (store) => {
        const text = `${JSON.stringify(await exportSignals(store, await chooseTenant(store, options.tenant)), null, 2)}\n`
        writeExport(options.out, text)
      }),
    )
  withStoreOptions(signals.command('list').description('list the signals'))
    .option('--tenant <id>')
    .option('--json')
    .action(listAction)
  return signals
}

function importAction(path: string, options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const tenantId = await chooseTenant(store, options.tenant)
    const dryRun = options.dryRun === true
    const diff = await importSignalFile(store, tenantId, path, { dryRun, merge: options.merge === true })
    printImport(options.json, tenantId, dryRun, diff)
  })
}

function listAction(options: Options): Promise<void> {
  return withStore(options, async (store) => {
    const { signals } = await exportSignals(store, await chooseTenant(store, options.tenant))
    print(
      options.json,
      { signals },
      table(
        ['SIGNAL', 'NAME', 'TYPE', 'VALUES', 'PROVIDER', 'COVERAGE', 'PRICES'],
        signals.map((signal) => [
          signal.signal_agent_segment_id,
          signal.name,
          signal.signal_type,
          signal.value_type,
          signal.data_provider_domain ?? '',
          `${signal.coverage_percentage} %`,
          signal.pricing_options.map(({ model }) => model).join(', '),
        ]),
      ),
    )
  })
}

function readSignals(path: string, schemas: Schemas): SignalsFile {
  const validators = {
    file: schemas.validator('own:signals-import.json'),
    response: schemas.validator('signals/get-signals-response.json'),
  }
  return readDocument(path, (value) => importSignals(value, validators))
}

function diffOf(before: readonly SignalDocument[], after: readonly SignalDocument[], merge: boolean): ImportDiff {
  return diffEntries(textsOf(before), textsOf(after), { merge })
}

function textsOf(documents: readonly SignalDocument[]): ReadonlyMap<string, string> {
  return new Map(documents.map((document) => [document.signal_agent_segment_id, JSON.stringify(document)]))
}
