import type { BrandsFile } from '../../domain/brand/brands-file.ts'
import { importBrands as checkBrands } from '../../domain/brand/import-brands.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { loadBrands, saveBrands } from '../../store/brand/brands.ts'
import { auditedStore } from '../audited-store.ts'
import { diffEntries, type ImportDiff, type ImportFile, type ImportInput, readDocument } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'

/**
 * Imports a brands file (schemas/brands-import.json) in place of all that a publisher had, and says what that changed, or would change: `brand nova`,
 * `right nova_voice`, `offering nova_chat`. Throws INVALID_REQUEST with one issue a problem when the file is not right in every detail; then nothing is imported.
 */
export async function importBrands(
  context: OperatorContext,
  { tenantId, file, dryRun }: Omit<ImportInput, 'merge'>,
): Promise<ImportDiff> {
  const brands = readBrands(file, context.schemas)
  if (dryRun) return diffOf(await exportBrands(context, tenantId), brands)
  const store = auditedStore(context, { task: 'brands.import', tenant: tenantId })
  return store.transaction(async (tx) => {
    const diff = diffOf(await exportBrands({ store: { read: tx } }, tenantId), brands)
    await saveBrands(tx, tenantId, brands, context.clock())
    return diff
  })
}

/** The brands of a publisher as a document of the import format; undefined while there are none. */
export async function exportBrands(
  { store }: { readonly store: Pick<OperatorContext['store'], 'read'> },
  tenantId: string,
): Promise<BrandsFile | undefined> {
  const { house, brands, rights, offerings, claims } = await loadBrands(store.read, tenantId)
  return house && { version: 1, house, brands, rights, offerings, ...(claims && { claims }) }
}

/** Brands, rights in them and offerings of a publisher. */
export async function listBrands({ store }: OperatorContext, tenantId: string) {
  const { brands, rights, offerings } = await loadBrands(store.read, tenantId)
  return { brands, rights, offerings }
}

function readBrands(file: ImportFile, schemas: Schemas): BrandsFile {
  const validators = {
    file: schemas.validator('own:brands-import.json'),
    identity: schemas.validator('brand/get-brand-identity-response.json'),
    rights: schemas.validator('brand/get-rights-response.json'),
  }
  return readDocument(file, (value) => checkBrands(value, validators))
}

function diffOf(before: BrandsFile | undefined, after: BrandsFile): ImportDiff {
  return diffEntries(entriesOf(before), entriesOf(after), { merge: false })
}

function entriesOf(file: BrandsFile | undefined): ReadonlyMap<string, string> {
  return new Map([
    ...(file?.brands ?? []).map((brand) => [`brand ${brand.brand_id}`, JSON.stringify(brand)] as const),
    ...(file?.rights ?? []).map((right) => [`right ${right.rights_id}`, JSON.stringify(right)] as const),
    ...(file?.offerings ?? []).map((offering) => [`offering ${offering.offering_id}`, JSON.stringify(offering)] as const),
    ...(file?.claims ? [['claims', JSON.stringify(file.claims)] as const] : []),
  ])
}
