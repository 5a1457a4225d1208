import { importSignals as checkSignals } from '../../domain/signal/import-signals.ts'
import type { DataProvider, SignalDocument, SignalsFile } from '../../domain/signal/signal.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { loadSignals, type StoredSignals, saveSignals } from '../../store/signal/signals.ts'
import { type ActContext, defineAct } from '../act.ts'
import { type ImportDiff, type ImportFile, type ImportInput, importEntries, readDocument } from '../imports/import-document.ts'
import { importFile, importHow, MERGED_IMPORT } from '../imports/import-fields.ts'
import { importForm } from '../imports/import-form.ts'
import { importDiff, jsonFile, version } from '../imports/import-shapes.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS, SELLERS } from '../roles.ts'
import { documentOf, list, listOf, object, optional, pageOf } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

const signalShape = documentOf<SignalDocument>('A signal as imports have it (schemas/signals-import.json).')
const providerShape = documentOf<DataProvider>('A provider of data as imports have it (schemas/signals-import.json).')

export const listSignals = defineAct({
  name: 'signals.list',
  route: 'GET /signals',
  id: 'listSignals',
  roles: READERS,
  summary: 'The signals that the publisher sells.',
  fields: {},
  answer: pageOf(signalShape),
  command: {
    help: 'list the signals',
    columns: [
      ['SIGNAL', (signal) => signal.signal_agent_segment_id],
      ['NAME', (signal) => signal.name],
      ['TYPE', (signal) => signal.signal_type],
      ['VALUES', (signal) => signal.value_type],
      ['PROVIDER', (signal) => signal.data_provider_domain ?? ''],
      ['COVERAGE', (signal) => `${signal.coverage_percentage} %`],
      ['PRICES', (signal) => signal.pricing_options.map(({ model }) => model).join(', ')],
    ],
  },
  run: async (context) => list((await exportSignals(context, context.tenantId)).signals),
})

export const exportSignalFile = defineAct({
  name: 'signals.export',
  route: 'GET /signals/export',
  id: 'exportSignals',
  roles: READERS,
  summary: 'The signals that the publisher sells, as a document that can be imported.',
  fields: {},
  answer: object({ version, data_providers: optional(listOf(providerShape)), signals: listOf(signalShape) }),
  command: { help: 'write the signals as a file that import reads', file: jsonFile },
  run: (context) => exportSignals(context, context.tenantId),
})

export const importSignalFile = defineAct({
  name: 'signals.import',
  route: 'POST /signals/import',
  id: 'importSignals',
  roles: SELLERS,
  summary: 'Imports a file of signals, and says what that changes.',
  fields: MERGED_IMPORT,
  answer: importDiff,
  command: importForm({ help: 'add and change signals from a JSON file' }),
  run: (context, values) =>
    importSignals(context, { tenantId: context.tenantId, file: importFile('signals', values), ...importHow(values) }),
})

/**
 * Imports a signals file (schemas/signals-import.json) and says what that changed, or would change, by segment ids. Throws INVALID_REQUEST with one issue a
 * problem when the file is not right in every detail; then nothing is imported.
 */
export async function importSignals(context: ActContext, { tenantId, file, dryRun, merge }: ImportInput): Promise<ImportDiff> {
  const signals = await readSignals(file, context.schemas)
  return importEntries(
    context,
    { dryRun, merge },
    {
      before: async (db) => textsOf((await loadSignals(db, tenantId)).signals),
      after: textsOf(signals.signals),
      beside: async (db) => providersOf(await loadSignals(db, tenantId)),
      save: (tx) => saveSignals(tx, tenantId, signals, { merge }, context.clock()),
    },
  )
}

/** The signals of a publisher as a document of the import format. */
export async function exportSignals({ store }: Pick<OperatorContext, 'store'>, tenantId: string): Promise<SignalsFile> {
  const { providers, signals } = await loadSignals(store.read, tenantId)
  return { version: 1, ...(providers.length > 0 && { data_providers: providers }), signals }
}

function readSignals(file: ImportFile, schemas: Schemas): Promise<SignalsFile> {
  const validators = {
    file: schemas.validator('own:signals-import.json'),
    response: schemas.validator('signals/get-signals-response.json'),
  }
  return readDocument(file, (value) => checkSignals(value, validators))
}

/** Providers of data by their domains, for the audit log. */
function providersOf({ providers }: Pick<StoredSignals, 'providers'>): object {
  return Object.fromEntries(providers.map((provider) => [`provider ${provider.domain}`, provider]))
}

function textsOf(documents: readonly SignalDocument[]): ReadonlyMap<string, string> {
  return new Map(documents.map((document) => [document.signal_agent_segment_id, JSON.stringify(document)]))
}
