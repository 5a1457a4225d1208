import { fieldsOfProduct } from '../../domain/product/diff-products.ts'
import type { Db } from '../../store/database.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import type { Watching } from '../act.ts'

/** The fields of a product by their paths, for the audit log; undefined for an unknown product. */
export async function watchedProduct(
  tx: Db,
  { tenantId }: Watching,
  { product }: { readonly product: string },
): Promise<object | undefined> {
  const found = await findOwnProduct(tx, tenantId, product)
  return found && Object.fromEntries(fieldsOfProduct(found.document))
}
