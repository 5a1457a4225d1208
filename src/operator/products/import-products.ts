import { COLUMNS } from '../../domain/product/csv-columns.ts'
import { diffProducts, type ProductsDiff } from '../../domain/product/diff-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import { loadCustomFormats } from '../../store/creative/custom-formats.ts'
import { loadStoredProducts } from '../../store/product/products.ts'
import { saveProducts } from '../../store/product/save-products.ts'
import { auditedStore } from '../audited-store.ts'
import type { ImportInput } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { ProductsDiff }

/** The columns of the CSV form of a product file. */
export const PRODUCT_COLUMNS = COLUMNS

/**
 * Imports a product file (JSON, or CSV by its name) and says what that changed, or would change. Throws INVALID_REQUEST with one issue a problem when the
 * file is not right in every detail; then nothing is imported.
 */
export async function importProducts(
  context: OperatorContext,
  { tenantId, file, dryRun, merge }: ImportInput,
): Promise<ProductsDiff> {
  const ownFormats = (await loadCustomFormats(context.store.read, tenantId)).map(({ id }) => id)
  // The parsers of CSV and YAML are loaded with the first file: most processes read none.
  const [{ readProductFile }, { importError }] = await Promise.all([
    import('./product-file.ts'),
    import('../imports/import-problems.ts'),
  ])
  const read = readProductFile(file, context.schemas, ownFormats)
  if (!read.ok) throw importError(file.name, read.problems)
  const next = read.file
  if (dryRun) return diffOf(await loadStoredProducts(context.store.read, tenantId), next, merge)
  const store = auditedStore(context, { task: 'products.import', tenant: tenantId })
  return store.transaction(async (tx) => {
    const diff = diffOf(await loadStoredProducts(tx, tenantId), next, merge)
    await saveProducts(tx, tenantId, next, { merge }, context.clock())
    return diff
  })
}

/** The products of a publisher as a document of the import format. */
export async function exportProducts({ store }: Pick<OperatorContext, 'store'>, tenantId: string): Promise<ProductsFile> {
  const { publisher, properties, collections, plans, products } = await loadStoredProducts(store.read, tenantId)
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
function diffOf(current: Pick<ProductsFile, 'products'>, next: ProductsFile, merge: boolean): ProductsDiff {
  const diff = diffProducts(current.products, next.products)
  return merge ? { ...diff, removed: [], unchanged: [...diff.unchanged, ...diff.removed] } : diff
}
