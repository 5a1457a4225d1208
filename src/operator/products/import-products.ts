import type { CatalogueDocument } from '../../domain/product/catalogue-file.ts'
import { COLUMNS } from '../../domain/product/csv-columns.ts'
import { type CatalogueDiff, diffProducts } from '../../domain/product/diff-products.ts'
import { loadCustomFormats } from '../../store/creative/custom-formats.ts'
import { loadCatalogue } from '../../store/product/products.ts'
import { saveCatalogue } from '../../store/product/save-catalogue.ts'
import { auditedStore } from '../audited-store.ts'
import type { ImportInput } from '../imports/import-document.ts'
import { importError } from '../imports/import-problems.ts'
import type { OperatorContext } from '../operator-context.ts'
import { readProductFile } from './product-file.ts'

export type { CatalogueDiff }

/** The columns of the CSV form of a product file. */
export const PRODUCT_COLUMNS = COLUMNS

/**
 * Imports a product file (JSON, or CSV by its name) and says what that changed, or would change. Throws INVALID_REQUEST with one issue a problem when the
 * file is not right in every detail; then nothing is imported.
 */
export async function importProducts(
  context: OperatorContext,
  { tenantId, file, dryRun, merge }: ImportInput,
): Promise<CatalogueDiff> {
  const ownFormats = (await loadCustomFormats(context.store.read, tenantId)).map(({ id }) => id)
  const read = readProductFile(file, context.schemas, ownFormats)
  if (!read.ok) throw importError(file.name, read.problems)
  const { catalogue } = read
  if (dryRun) return diffOf(await loadCatalogue(context.store.read, tenantId), catalogue, merge)
  const store = auditedStore(context, { task: 'products.import', tenant: tenantId })
  return store.transaction(async (tx) => {
    const diff = diffOf(await loadCatalogue(tx, tenantId), catalogue, merge)
    await saveCatalogue(tx, tenantId, catalogue, { merge }, context.clock())
    return diff
  })
}

/** The products of a publisher as a document of the import format. */
export async function exportProducts({ store }: Pick<OperatorContext, 'store'>, tenantId: string): Promise<CatalogueDocument> {
  const { publisher, properties, collections, plans, products } = await loadCatalogue(store.read, tenantId)
  return {
    version: 1,
    ...(publisher && { publisher }),
    ...(properties.length > 0 && { properties }),
    ...(collections.length > 0 && { collections }),
    products,
    ...(plans.length > 0 && { plans }),
  }
}

/** With `merge`, what the file leaves out stays, so it counts as unchanged rather than removed. */
function diffOf(current: Pick<CatalogueDocument, 'products'>, next: CatalogueDocument, merge: boolean): CatalogueDiff {
  const diff = diffProducts(current.products, next.products)
  return merge ? { ...diff, removed: [], unchanged: [...diff.unchanged, ...diff.removed] } : diff
}
