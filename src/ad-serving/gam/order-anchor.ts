import { hash } from 'node:crypto'
import type { OrderKey } from '../../domain/ad-serving/desired-order.ts'

/**
 * The number that the API finds an order by while its resource name is not known: `externalOrderId` has 32 bits, so that two orders may share one; name and advertiser say
 * which is which. Positive, never 0, which the API takes for none.
 */
export function orderAnchor({ tenantId, externalId }: OrderKey): number {
  const bits = Number.parseInt(hash('sha256', JSON.stringify([tenantId, externalId])).slice(0, 8), 16) & 0x7fffffff
  return bits === 0 ? 1 : bits
}
