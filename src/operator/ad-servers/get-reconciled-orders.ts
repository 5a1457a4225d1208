import { AdcpError } from '../../protocol/errors.ts'
import { type AdServerOrder, listAdServerOrders } from '../../store/ad-serving/ad-server-orders.ts'
import type { Db } from '../../store/database.ts'

/** Ad servers of one media buy. */
const MOST_AD_SERVERS = 200

/** A media buy at each ad server that it is reconciled with. Throws REFERENCE_NOT_FOUND for one that lies in none. */
export async function getReconciledOrders(db: Db, tenantId: string, mediaBuyId: string): Promise<readonly AdServerOrder[]> {
  const orders = await listAdServerOrders(db, tenantId, { mediaBuyId, limit: MOST_AD_SERVERS })
  if (orders.length > 0) return orders
  const message = `${mediaBuyId} lies in no reconciled ad server; adservers orders lists those that do`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'order' })
}
