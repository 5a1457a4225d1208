import type { AcquireRightsRequest } from '@adcp/sdk/types'
import type { BuyerFacts } from '../../domain/rights/clearance.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'

/**
 * What decides on a buyer's brand: its domain, and its industries by its own brand.json and by the request. A brand whose file cannot be read is
 * judged by what the request says.
 */
export async function buyerFacts(
  { services, now }: Pick<AuthenticatedContext, 'services' | 'now'>,
  brand: AcquireRightsRequest['buyer'] | undefined,
): Promise<BuyerFacts> {
  if (!brand) return { domain: undefined, industries: [] }
  const resolution = await services.brandFiles.resolve(brand.domain, { brandId: brand.brand_id, now })
  const published = resolution.ok ? (resolution.brand.brand?.industries ?? []) : []
  return { domain: brand.domain, industries: [...new Set([...published, ...(brand.industries ?? [])])] }
}
