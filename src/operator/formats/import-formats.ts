import { importFormats as checkFormats, type FormatDocument } from '../../domain/creative/formats/custom-format.ts'
import { standardFormatIds, standardFormats } from '../../domain/creative/formats/standard-formats.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deleteCustomFormat, loadCustomFormats, saveCustomFormats } from '../../store/creative/custom-formats.ts'
import { loadStoredProducts } from '../../store/product/products.ts'
import { auditedStore } from '../audited-store.ts'
import { diffEntries, type ImportDiff, type ImportFile, type ImportInput } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'

export type FormatsDiff = Omit<ImportDiff, 'unchanged'>

/**
 * Imports a file of a publisher's own formats and says what that changed, or would change. Throws INVALID_REQUEST with one issue a problem, and CONFLICT
 * when a product would lose a format that it sells; nothing is imported then.
 */
export async function importFormats(
  context: OperatorContext,
  { tenantId, file, dryRun, merge }: ImportInput,
): Promise<FormatsDiff> {
  const { schemas } = context
  const validators = { file: schemas.validator('own:formats-import.json'), format: schemas.validator('core/format.json') }
  const before = await listFormats(context, tenantId)
  const knownIds = new Set(merge ? before.map(({ id }) => id) : [])
  const read = checkFormats(parseFile(file), validators, { standardIds: standardFormatIds, knownIds })
  if (!read.ok) throw refused(file, read.problems)
  const { unchanged: _unchanged, ...diff } = diffEntries(textsOf(before), textsOf(read.formats), { merge })
  await requireUnsold(context, tenantId, diff.removed)
  if (dryRun) return diff
  const store = auditedStore(context, { task: 'formats.import', tenant: tenantId })
  await store.transaction((tx) => saveCustomFormats(tx, tenantId, read.formats, { replace: !merge }, context.clock()))
  return diff
}

/** A publisher's own formats, beside the standard ones. */
export function listFormats({ store }: OperatorContext, tenantId: string): Promise<readonly FormatDocument[]> {
  return loadCustomFormats(store.read, tenantId)
}

/** The standard formats, which every publisher's products may have. */
export function listStandardFormats(): { readonly id: string; readonly type: string; readonly name: string }[] {
  return standardFormats('').map(({ type, format: { format_id, name } }) => ({ id: format_id.id, type, name }))
}

/** Removes one of the own formats. Throws REFERENCE_NOT_FOUND, and CONFLICT while a product sells it. */
export async function removeFormat(
  context: OperatorContext,
  { tenantId, formatId }: { readonly tenantId: string; readonly formatId: string },
): Promise<void> {
  await requireUnsold(context, tenantId, [formatId])
  const store = auditedStore(context, { task: 'formats.remove', tenant: tenantId, subject: formatId })
  const existed = await store.transaction((tx) => deleteCustomFormat(tx, tenantId, formatId))
  if (!existed)
    throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no format ${formatId} of its own`, { field: 'format' })
}

async function requireUnsold({ store }: OperatorContext, tenantId: string, ids: readonly string[]): Promise<void> {
  const { products } = await loadStoredProducts(store.read, tenantId)
  for (const id of ids) {
    const sold = products
      .filter(({ format_ids }) => format_ids?.some((format) => format === id))
      .map(({ product_id }) => product_id)
    if (sold.length > 0) throw new AdcpError('CONFLICT', `the format ${id} is sold by ${sold.join(', ')}`, { field: 'format' })
  }
}

function textsOf(formats: readonly FormatDocument[]): ReadonlyMap<string, string> {
  return new Map(formats.map((format) => [format.id, JSON.stringify(format)]))
}

function parseFile({ name, text }: ImportFile): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'it cannot be opened'
    throw new AdcpError('INVALID_REQUEST', `cannot read ${name}: ${reason}`, { field: 'file', cause })
  }
}

function refused({ name }: ImportFile, problems: readonly { readonly pointer: string; readonly message: string }[]): AdcpError {
  const lines = problems.map(({ pointer, message }) => `  ${pointer || '/'}: ${message}`)
  return new AdcpError('INVALID_REQUEST', [`${name} was not imported; ${lines.length} to repair:`, ...lines].join('\n'), {
    field: 'file',
    issues: problems.map((problem) => ({ ...problem, keyword: 'import' })),
  })
}
