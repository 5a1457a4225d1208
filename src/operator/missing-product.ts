import { AdcpError } from '../protocol/errors.ts'
import { instead, quoted } from '../protocol/nearest-name.ts'
import type { Db } from '../store/database.ts'
import { listProductIds } from '../store/product/product-list.ts'

/** The refusal of a product that a publisher does not have, with the id that may be meant. `field`: the member that names the product. */
export async function missingProduct(db: Db, tenantId: string, productId: string, field: string): Promise<AdcpError> {
  const hint = instead(productId, await listProductIds(db, tenantId), 'sales-agent products list shows them')
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no product ${quoted(productId)}${hint}`, { field })
}
