import { COLUMNS } from '../../domain/product/csv-columns.ts'
import { diffProducts, type ProductsDiff } from '../../domain/product/diff-products.ts'
import type { ProductsFile } from '../../domain/product/products-file.ts'
import type { Db } from '../../store/database.ts'
import { loadStoredProducts } from '../../store/product/products.ts'
import { saveProducts } from '../../store/product/save-products.ts'
import { auditedStore } from '../audited-store.ts'
import type { ImportInput } from '../imports/import-document.ts'
import type { OperatorContext } from '../operator-context.ts'
import { withProductTable } from './product-table.ts'
import { readImport } from './read-import.ts'

export type { ProductsDiff }

/** The columns of the CSV form of a product file. */
export const PRODUCT_COLUMNS = COLUMNS

/**
 * Imports a product file (JSON, or CSV by its name) and says what that changed, or would change. With `merge` a table may have `product_id` and some other
 * columns alone: they change those values of products that exist. Throws INVALID_REQUEST with one issue a problem when the file is not right in every
 * detail; then nothing is imported.
 */
export async function importProducts(context: OperatorContext, wanted: ImportInput): Promise<ProductsDiff> {
  const { tenantId, dryRun, merge } = wanted
  const input = { ...wanted, file: await withProductTable(wanted.file) }
  const checked = async (db: Db) => {
    const { stored, result } = await readImport(db, context, input)
    if (result.ok) return { file: result.file, diff: diffOf(stored, result.file, merge) }
    const { importError } = await import('../imports/import-problems.ts')
    throw importError(input.file.name, result.problems)
  }
  if (dryRun) return (await checked(context.store.read)).diff
  const store = auditedStore(context, { task: 'products.import', tenant: tenantId })
  return store.transaction(async (tx) => {
    const { file, diff } = await checked(tx)
    await saveProducts(tx, tenantId, file, { merge }, context.clock())
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
