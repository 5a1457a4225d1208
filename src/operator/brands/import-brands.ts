import type { BrandsFile, ConversationOffering, RightsOffering } from '../../domain/brand/brands-file.ts'
import { importBrands as checkBrands } from '../../domain/brand/import-brands.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { loadBrands, saveBrands } from '../../store/brand/brands.ts'
import { type ActContext, defineAct } from '../act.ts'
import { type ImportDiff, type ImportFile, type ImportInput, importEntries, readDocument } from '../imports/import-document.ts'
import { DOCUMENT_IMPORT, importFile } from '../imports/import-fields.ts'
import { importForm } from '../imports/import-form.ts'
import { importDiff, jsonFile } from '../imports/import-shapes.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS, SELLERS } from '../roles.ts'
import { documentOf, listOf, object } from '../shape.ts'
import { table } from '../text-table.ts'

// Several acts in one file: they list, change and remove the same thing.

const brandShape = documentOf<BrandsFile['brands'][number]>('A brand as imports have it (schemas/brands-import.json).')
const rightShape = documentOf<RightsOffering>('A right as imports have it (schemas/brands-import.json).')
const offeringShape = documentOf<ConversationOffering>('An offering as imports have it (schemas/brands-import.json).')

export const listBrands = defineAct({
  name: 'brands.list',
  route: 'GET /brands',
  id: 'showBrands',
  roles: READERS,
  summary: 'Brands, rights in them and offerings.',
  fields: {},
  answer: object({ brands: listOf(brandShape), rights: listOf(rightShape), offerings: listOf(offeringShape) }),
  command: {
    help: 'list brands, rights and offerings',
    text: ({ brands, rights, offerings }) =>
      table(
        ['KIND', 'ID', 'NAME', 'ABOUT'],
        [
          ...brands.map((brand) => [
            'brand',
            brand.brand_id,
            Object.values(brand.names[0] ?? {})[0] ?? '',
            brand.industries?.join(', ') ?? '',
          ]),
          ...rights.map((right) => ['right', right.rights_id, right.name, right.available_uses.join(', ')]),
          ...offerings.map((each) => ['offering', each.offering_id, each.summary, each.price_hint ?? '']),
        ],
      ),
  },
  async run({ store, tenantId }) {
    const { brands, rights, offerings } = await loadBrands(store.read, tenantId)
    return { brands, rights, offerings }
  },
})

/** Throws REFERENCE_NOT_FOUND when the publisher has none. */
export const exportBrandFile = defineAct({
  name: 'brands.export',
  route: 'GET /brands/export',
  id: 'exportBrands',
  roles: READERS,
  summary: 'Brands, rights and offerings as a document that can be imported.',
  fields: {},
  answer: documentOf<BrandsFile>('As schemas/brands-import.json describes it.'),
  command: { help: 'write the brands as a file that import reads', file: jsonFile },
  async run(context) {
    const document = await exportBrands(context, context.tenantId)
    if (document) return document
    throw new AdcpError('REFERENCE_NOT_FOUND', `${context.tenantId} has no brands`)
  },
})

export const importBrandFile = defineAct({
  name: 'brands.import',
  route: 'POST /brands/import',
  id: 'importBrands',
  roles: SELLERS,
  summary: 'Replaces the brands by those of a file, and lists the changes.',
  fields: DOCUMENT_IMPORT,
  answer: importDiff,
  command: { ...importForm({ help: 'replace the brands with those of a JSON file' }), earlier: [] },
  run: (context, values) =>
    importBrands(context, {
      tenantId: context.tenantId,
      file: importFile('brands', values),
      dryRun: values.dry_run ?? false,
    }),
})

/**
 * Imports a brands file (schemas/brands-import.json) in place of all that a publisher had, and says what that changed, or would change: `brand nova`,
 * `right nova_voice`, `offering nova_chat`. Throws INVALID_REQUEST with one issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importBrands(
  context: ActContext,
  { tenantId, file, dryRun }: Omit<ImportInput, 'merge'>,
): Promise<ImportDiff> {
  const brands = await readBrands(file, context.schemas)
  return importEntries(
    context,
    { dryRun, merge: false },
    {
      before: async (db) => entriesOf(await exportBrands({ store: { read: db } }, tenantId)),
      after: entriesOf(brands),
      beside: async (db) => ({ house: (await loadBrands(db, tenantId)).house }),
      save: (tx) => saveBrands(tx, tenantId, brands, context.clock()),
    },
  )
}

/** The brands of a publisher as a document of the import format; undefined while there are none. */
export async function exportBrands(
  { store }: { readonly store: Pick<OperatorContext['store'], 'read'> },
  tenantId: string,
): Promise<BrandsFile | undefined> {
  const { house, brands, rights, offerings, claims } = await loadBrands(store.read, tenantId)
  return house && { version: 1, house, brands, rights, offerings, ...(claims && { claims }) }
}

function readBrands(file: ImportFile, schemas: Schemas): Promise<BrandsFile> {
  const validators = {
    file: schemas.validator('own:brands-import.json'),
    identity: schemas.validator('brand/get-brand-identity-response.json'),
    rights: schemas.validator('brand/get-rights-response.json'),
  }
  return readDocument(file, (value) => checkBrands(value, validators))
}

function entriesOf(file: BrandsFile | undefined): ReadonlyMap<string, string> {
  return new Map([
    ...(file?.brands ?? []).map((brand) => [`brand ${brand.brand_id}`, JSON.stringify(brand)] as const),
    ...(file?.rights ?? []).map((right) => [`right ${right.rights_id}`, JSON.stringify(right)] as const),
    ...(file?.offerings ?? []).map((offering) => [`offering ${offering.offering_id}`, JSON.stringify(offering)] as const),
    ...(file?.claims ? [['claims', JSON.stringify(file.claims)] as const] : []),
  ])
}
