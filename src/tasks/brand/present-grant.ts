import type { AcquireRightsAcquired, GenerationCredential, UpdateRightsSuccess } from '@adcp/sdk/types'
import { credentialsFor, presentClearance, presentTerms, type RightsGrant } from '../../domain/rights/grant.ts'
import type { BrandRegistry } from '../../features/brands/brand-registry.ts'
import type { GrantAttestation } from '../../features/brands/grant-attestations.ts'

/** What presenting grants takes. */
export interface GrantServices {
  readonly brands: Pick<BrandRegistry, 'keyFor'>
}

/** The answer to an acquisition that went through (AdCP acquire_rights: `acquired`). */
export async function presentAcquired(
  grant: RightsGrant,
  services: GrantServices,
  attestation: GrantAttestation,
  now: Date,
): Promise<AcquireRightsAcquired> {
  const { offering } = grant.agreement
  return {
    rights_id: grant.grantId,
    status: 'acquired',
    brand_id: offering.brand_id,
    terms: presentTerms(grant.agreement),
    generation_credentials: credentialsOf(grant, services),
    ...presentClearance(grant.agreement),
    rights_constraint: await attestation.constraint(grant, now),
  }
}

/** The answer to a change of a grant (AdCP update_rights); `waits`: the rights holder has not decided. */
export async function presentChanged(
  grant: RightsGrant,
  services: GrantServices,
  attestation: GrantAttestation,
  { now, waits }: { readonly now: Date; readonly waits: boolean },
): Promise<UpdateRightsSuccess> {
  return {
    rights_id: grant.grantId,
    terms: presentTerms(grant.agreement),
    ...(!grant.paused && { generation_credentials: credentialsOf(grant, services) }),
    rights_constraint: await attestation.constraint(grant, now),
    implementation_date: waits ? null : now.toISOString(),
  }
}

/** Credentials of a grant in force. */
export function credentialsOf(grant: RightsGrant, { brands }: Pick<GrantServices, 'brands'>): GenerationCredential[] {
  return credentialsFor(grant, (provider) => brands.keyFor(grant.grantId, grant.credentialVersion, provider))
}

/** Where a buyer can ask how the review of a creative goes. */
export function statusUrlOf({ agentUrl }: { readonly agentUrl: string }, submissionId: string): string {
  return `${new URL(agentUrl).origin}/rights/creatives/${submissionId}`
}
