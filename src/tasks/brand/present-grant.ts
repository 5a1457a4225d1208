import type { AcquireRightsAcquired, GenerationCredential, UpdateRightsSuccess } from '@adcp/sdk/types'
import { credentialsFor, presentConstraint, presentTerms, type RightsGrant } from '../../domain/rights/grant.ts'
import type { BrandRegistry } from '../../features/brands/brand-registry.ts'

/** What presenting grants takes. */
export interface GrantServices {
  readonly brands: Pick<BrandRegistry, 'keyFor'>
  readonly wiring: { readonly agentUrl: string }
}

/** The answer to an acquisition that went through (AdCP acquire_rights: `acquired`). */
export function presentAcquired(grant: RightsGrant, services: GrantServices): AcquireRightsAcquired {
  const { offering } = grant.agreement
  const restrictions = [...(offering.clearance?.restrictions ?? []), ...(offering.content_restrictions ?? [])]
  return {
    rights_id: grant.grantId,
    status: 'acquired',
    brand_id: offering.brand_id,
    terms: presentTerms(grant.agreement),
    generation_credentials: credentialsOf(grant, services),
    ...(restrictions.length > 0 && { restrictions }),
    ...(offering.clearance?.disclosure && { disclosure: offering.clearance.disclosure }),
    rights_constraint: constraintOf(grant, services),
  }
}

/** The answer to a change of a grant (AdCP update_rights); `effectiveAt` is null while the rights holder has not decided. */
export function presentChanged(grant: RightsGrant, services: GrantServices, effectiveAt: Date | null): UpdateRightsSuccess {
  return {
    rights_id: grant.grantId,
    terms: presentTerms(grant.agreement),
    ...(!grant.paused && { generation_credentials: credentialsOf(grant, services) }),
    rights_constraint: constraintOf(grant, services),
    implementation_date: effectiveAt?.toISOString() ?? null,
  }
}

/** Credentials of a grant in force. */
export function credentialsOf(grant: RightsGrant, { brands }: Pick<GrantServices, 'brands'>): GenerationCredential[] {
  return credentialsFor(grant, (provider) => brands.keyFor(grant.grantId, grant.credentialVersion, provider))
}

/** What creatives made under a grant carry. */
export function constraintOf(grant: RightsGrant, { wiring }: Pick<GrantServices, 'wiring'>) {
  const { agentUrl } = wiring
  return presentConstraint(grant, { agentUrl, verificationUrl: `${new URL(agentUrl).origin}/rights/${grant.grantId}` })
}

/** Where a buyer can ask how the review of a creative goes. */
export function statusUrlOf({ agentUrl }: GrantServices['wiring'], submissionId: string): string {
  return `${new URL(agentUrl).origin}/rights/creatives/${submissionId}`
}
