import type { ProductsFile } from '../../domain/product/products-file.ts'
import type { Db } from '../../store/database.ts'
import { loadCustomFormats } from '../../store/product/custom-formats.ts'
import { loadStoredProducts, type StoredProducts } from '../../store/product/products.ts'
import type { ImportInput } from '../imports/import-document.ts'
import type { FileProblem } from '../imports/import-problems.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A product file that was read against the products of the publisher. */
export interface ReadImport {
  readonly stored: StoredProducts
  readonly result:
    | { readonly ok: true; readonly file: ProductsFile }
    | { readonly ok: false; readonly problems: readonly FileProblem[] }
}

/** Reads a product file, whose table was decoded before, against the products that `db` holds: with `merge` a table may have some columns of them alone. */
export async function readImport(
  db: Db,
  { schemas }: Pick<OperatorContext, 'schemas'>,
  { tenantId, file, merge }: Omit<ImportInput, 'dryRun'>,
): Promise<ReadImport> {
  // The parsers of CSV and YAML are loaded with the first file: most processes read none.
  const { readProductFile } = await import('./product-file.ts')
  const ownFormats = (await loadCustomFormats(db, tenantId)).map(({ id }) => id)
  const stored = await loadStoredProducts(db, tenantId)
  const current = merge ? new Map(stored.products.map((product) => [product.product_id, product])) : undefined
  return { stored, result: await readProductFile(file, { schemas, ownFormats, current }) }
}
