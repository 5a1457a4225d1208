import type { ConversationOffering } from '../../domain/brand/brands-file.ts'
import { type SponsoredContext, sponsoredContext } from '../../domain/si/sponsored-context.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { brandNameOf } from './conversation.ts'

/**
 * `sponsored_context` of an answer that speaks for an offering, since AdCP 3.1 (Sponsored Intelligence specification, "Sponsored Context Accountability").
 * Nothing under 3.0, which does not know it, and where no house is known that pays.
 */
export async function declareSponsor(
  offering: ConversationOffering | undefined,
  products: number,
  { contract, services, tenant, now }: AuthenticatedContext,
): Promise<{ readonly sponsored_context?: SponsoredContext }> {
  if (!contract.rules.sponsoredContext || !offering) return {}
  const brandSet = await services.brands.load(tenant.tenantId)
  const { brand_id: brandId } = offering
  const domain = brandSet.brands.get(brandId)?.house?.domain ?? brandSet.house?.domain
  if (domain === undefined) return {}
  const sponsor = { brandId, name: brandNameOf(brandSet, brandId), domain, agentUrl: services.wiring.agentUrl }
  return { sponsored_context: sponsoredContext(sponsor, products, now) }
}
