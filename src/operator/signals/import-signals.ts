import { importSignals as checkSignals } from '../../domain/signal/import-signals.ts'
import type { SignalDocument, SignalsFile } from '../../domain/signal/signal.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { loadSignals, saveSignals } from '../../store/signal/signals.ts'
import { auditedStore } from '../audited-store.ts'
import { diffEntries, type ImportDiff, type ImportFile, type ImportInput, readDocument } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * Imports a signals file (schemas/signals-import.json) and says what that changed, or would change, by segment ids. Throws INVALID_REQUEST with one issue a
 * problem when the file is not right in every detail; then nothing is imported.
 */
export async function importSignals(
  context: OperatorContext,
  { tenantId, file, dryRun, merge }: ImportInput,
): Promise<ImportDiff> {
  const signals = readSignals(file, context.schemas)
  if (dryRun) return diffOf((await loadSignals(context.store.read, tenantId)).signals, signals.signals, merge)
  const store = auditedStore(context, { task: 'signals.import', tenant: tenantId })
  return store.transaction(async (tx) => {
    const diff = diffOf((await loadSignals(tx, tenantId)).signals, signals.signals, merge)
    await saveSignals(tx, tenantId, signals, { merge }, context.clock())
    return diff
  })
}

/** The signals of a publisher as a document of the import format. */
export async function exportSignals({ store }: Pick<OperatorContext, 'store'>, tenantId: string): Promise<SignalsFile> {
  const { providers, signals } = await loadSignals(store.read, tenantId)
  return { version: 1, ...(providers.length > 0 && { data_providers: providers }), signals }
}

function readSignals(file: ImportFile, schemas: Schemas): SignalsFile {
  const validators = {
    file: schemas.validator('own:signals-import.json'),
    response: schemas.validator('signals/get-signals-response.json'),
  }
  return readDocument(file, (value) => checkSignals(value, validators))
}

function diffOf(before: readonly SignalDocument[], after: readonly SignalDocument[], merge: boolean): ImportDiff {
  return diffEntries(textsOf(before), textsOf(after), { merge })
}

function textsOf(documents: readonly SignalDocument[]): ReadonlyMap<string, string> {
  return new Map(documents.map((document) => [document.signal_agent_segment_id, JSON.stringify(document)]))
}
