import { importFormats as checkFormats, type FormatDocument } from '../../domain/creative/formats/custom-format.ts'
import { standardFormatIds, standardFormats } from '../../domain/creative/formats/standard-formats.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { deleteCustomFormat, loadCustomFormats, saveCustomFormats } from '../../store/product/custom-formats.ts'
import { loadStoredProducts } from '../../store/product/products.ts'
import { type ActContext, defineAct } from '../act.ts'
import { exact, flag, required } from '../fields.ts'
import { type ImportDiff, type ImportInput, importEntries, readDocument } from '../imports/import-document.ts'
import { importFile, importHow, MERGED_IMPORT } from '../imports/import-fields.ts'
import { importForm } from '../imports/import-form.ts'
import { jsonFile, version } from '../imports/import-shapes.ts'
import { READERS, SELLERS } from '../roles.ts'
import { boolean, documentOf, list, listOf, object, pageOf, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { table } from '../text-table.ts'

// Several acts in one file: they list, change and remove the same thing.

type FormatsDiff = Omit<ImportDiff, 'unchanged'>

const ids = listOf(string)
const formatShape = documentOf<FormatDocument>('an own format as imports have it (schemas/formats-import.json)')

export const listFormats = defineAct({
  name: 'formats.list',
  route: 'GET /formats',
  id: 'listFormats',
  roles: READERS,
  summary: 'The creative formats of the publisher.',
  fields: {
    standard: flag('the standard formats in their place, which every product may have'),
    all: flag('also the standard formats, which every product may have'),
  },
  answer: pageOf(
    documentOf<FormatDocument | NamedFormat>(
      'an own format as imports have it (schemas/formats-import.json); of standard ones, and with all, id, type and name',
    ),
  ),
  command: {
    help: 'list the own formats',
    text: ({ items }, { all, standard }) => table(...(all || standard ? whoseTable(items) : slotTable(items))),
  },
  async run(context, { standard, all }) {
    if (standard) return list(standardOnes())
    const own = await loadCustomFormats(context.store.read, context.tenantId)
    if (!all) return list(own)
    return list([
      ...own.map(({ id, type, name }) => ({ id, type, name, own: true })),
      ...standardOnes().map((format) => ({ ...format, own: false })),
    ])
  },
})

export const exportFormats = defineAct({
  name: 'formats.export',
  route: 'GET /formats/export',
  id: 'exportFormats',
  roles: READERS,
  summary: 'The own formats as a document that can be imported.',
  fields: {},
  answer: object({ version, formats: listOf(formatShape) }),
  command: { help: 'write the own formats as a file that import reads', file: jsonFile },
  run: async (context) => ({ version: 1, formats: await loadCustomFormats(context.store.read, context.tenantId) }),
})

export const importFormatFile = defineAct({
  name: 'formats.import',
  route: 'POST /formats/import',
  id: 'importFormats',
  roles: SELLERS,
  summary: 'Imports a file of the publisher’s own formats, and says what that changes.',
  fields: MERGED_IMPORT,
  answer: object({ removed: ids, added: ids, changed: ids }),
  command: importForm({ help: 'add and change own formats from a JSON file' }),
  run: (context, values) =>
    importFormats(context, { tenantId: context.tenantId, file: importFile('formats', values), ...importHow(values) }),
})

/** Removes one of the own formats. Throws REFERENCE_NOT_FOUND, and INVALID_STATE while a product sells it. */
export const removeFormat = defineAct({
  name: 'formats.remove',
  route: 'DELETE /formats/{format}',
  id: 'removeFormat',
  roles: SELLERS,
  summary: 'Removes one of the own formats; refused while a product sells it.',
  fields: { format: required(exact(idText('id of the format'))) },
  answer: object({ format_id: string, removed: boolean }),
  command: {
    text: ({ format_id: id }) => [`removed ${id}`],
    json: ({ format_id: id }, _values, tenantId) => ({ tenant: tenantId, removed: id }),
  },
  watch: async (tx, { tenantId }, { format }) => (await loadCustomFormats(tx, tenantId)).find(({ id }) => id === format),
  async run(context, { format }) {
    const { store, tenantId } = context
    await store.transaction(async (tx) => {
      await requireUnsold(tx, tenantId, [format])
      if (await deleteCustomFormat(tx, tenantId, format)) return
      throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no format ${format} of its own`, { field: 'format' })
    })
    return { format_id: format, removed: true }
  },
})

/**
 * Imports a file of a publisher's own formats and says what that changed, or would change. Throws INVALID_REQUEST with one issue a problem, and INVALID_STATE
 * when a product would lose a format that it sells; nothing is imported then.
 */
export async function importFormats(context: ActContext, { tenantId, file, dryRun, merge }: ImportInput): Promise<FormatsDiff> {
  const { schemas, store, clock } = context
  const validators = { file: schemas.validator('own:formats-import.json'), format: schemas.validator('core/format.json') }
  const knownIds = new Set(merge ? (await loadCustomFormats(store.read, tenantId)).map(({ id }) => id) : [])
  const formats = await readDocument(file, (value) =>
    checkFormats(value, validators, { standardIds: standardFormatIds, knownIds }),
  )
  const { unchanged: _unchanged, ...diff } = await importEntries(
    context,
    { dryRun, merge },
    {
      before: async (db) => textsOf(await loadCustomFormats(db, tenantId)),
      after: textsOf(formats),
      refuse: (db, { removed }) => requireUnsold(db, tenantId, removed),
      save: (tx) => saveCustomFormats(tx, tenantId, formats, { replace: !merge }, clock()),
    },
  )
  return diff
}

interface NamedFormat {
  readonly id: string
  readonly type: string
  readonly name: string
  /** Absent where standard ones alone are listed. */
  readonly own?: boolean
}

function standardOnes(): readonly NamedFormat[] {
  return standardFormats('').map(({ type, format: { format_id, name } }) => ({ id: format_id.id, type, name }))
}

type Rows = readonly (FormatDocument | NamedFormat)[]

function whoseTable(rows: Rows): Parameters<typeof table> {
  const cells = rows.map((row) => [row.id, row.type, row.name, 'own' in row && row.own ? 'own' : 'standard'])
  return [['FORMAT', 'TYPE', 'NAME', 'WHOSE'], cells]
}

function slotTable(rows: Rows): Parameters<typeof table> {
  const slots = (row: Rows[number]) => String('assets' in row ? (row.assets ?? []).length : 0)
  return [['FORMAT', 'TYPE', 'NAME', 'SLOTS'], rows.map((row) => [row.id, row.type, row.name, slots(row)])]
}

async function requireUnsold(db: Db, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { products } = await loadStoredProducts(db, tenantId)
  for (const id of ids) {
    const sold = products
      .filter(({ format_ids }) => format_ids?.some((format) => format === id))
      .map(({ product_id }) => product_id)
    if (sold.length > 0)
      throw new AdcpError('INVALID_STATE', `the format ${id} is sold by ${sold.join(', ')}`, { field: 'format' })
  }
}

function textsOf(formats: readonly FormatDocument[]): ReadonlyMap<string, string> {
  return new Map(formats.map((format) => [format.id, JSON.stringify(format)]))
}
