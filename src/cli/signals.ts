import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { importSignals, type SignalsImport } from '../domain/signal/import-signals.ts'
import type { SignalDocument, SignalsFile } from '../domain/signal/signal.ts'
import { Schemas } from '../protocol/schemas.ts'
import type { Store } from '../store/database.ts'
import { loadSignals, saveSignals } from '../store/signals.ts'
import { asOperator } from './as-operator.ts'
import { importError, locator, parseJson, readText } from './import-files.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

export interface SignalImportOptions {
  /** Check and compare only. */
  readonly dryRun: boolean
  /** Keep signals that the file does not list. Default: the file is all there is. */
  readonly merge?: boolean
  readonly schemas?: Schemas
}

/** Segment ids by what an import makes of them. */
export interface SignalsDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
}

interface Options extends StoreOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  readonly merge?: boolean
  readonly out?: string
  readonly json?: boolean
}

/**
 * Imports a signals file (schemas/signals-import.json) for a tenant and says what that changed (or would change). Throws INVALID_REQUEST with
 * one issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importSignalFile(
  store: Store,
  tenantId: string,
  path: string,
  { dryRun, merge = false, schemas = new Schemas() }: SignalImportOptions,
): Promise<SignalsDiff> {
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
        if (options.out === undefined) process.stdout.write(text)
        else writeFileSync(options.out, text)
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
    const { added, changed, removed, unchanged } = diff
    const head = `${dryRun ? 'would import' : 'imported'} into ${tenantId}: ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${unchanged.length} unchanged`
    print(options.json, { tenant: tenantId, dry_run: dryRun, ...diff }, [
      head,
      ...added.map((id) => `+ ${id}`),
      ...removed.map((id) => `- ${id}`),
      ...changed.map((id) => `~ ${id}`),
    ])
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
  const text = readText(path)
  const parsed = parseJson(text)
  if (!parsed.ok) throw importError(path, parsed.problems)
  const validators = {
    file: schemas.validator('own:signals-import.json'),
    response: schemas.validator('signals/get-signals-response.json'),
  }
  const result: SignalsImport = importSignals(withoutSchema(parsed.value), validators)
  if (result.ok) return result.file
  const place = locator(text)
  throw importError(
    path,
    result.problems.map((problem) => ({ ...problem, ...place(problem) })),
  )
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== '$schema'))
}

/** With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
function diffOf(before: readonly SignalDocument[], after: readonly SignalDocument[], merge: boolean): SignalsDiff {
  const texts = (documents: readonly SignalDocument[]) =>
    new Map(documents.map((document) => [document.signal_agent_segment_id, JSON.stringify(document)]))
  const [old, fresh] = [texts(before), texts(after)]
  const kept = [...fresh.keys()].filter((id) => old.has(id))
  const left = [...old.keys()].filter((id) => !fresh.has(id))
  return {
    added: [...fresh.keys()].filter((id) => !old.has(id)),
    changed: kept.filter((id) => old.get(id) !== fresh.get(id)),
    removed: merge ? [] : left,
    unchanged: [...kept.filter((id) => old.get(id) === fresh.get(id)), ...(merge ? left : [])],
  }
}
