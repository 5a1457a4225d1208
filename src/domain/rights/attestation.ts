import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { BrandHouse } from '../brand/identity-document.ts'
import { grantStatus, type PresentedConstraint, presentClearance, type RightsGrant } from './grant.ts'

// The attestation of a grant by the rights holder (AdCP 3.2 security, "Rights-grant attestation profile"): the buyer sends a credential with its creatives, and whoever
// serves them verifies it by the keys of the holder's rights agent and by its status.

export const CLAIM_TYPE = 'https://adcontextprotocol.org/claims/rights/grant'
export const SUBJECT_TYPE = 'https://adcontextprotocol.org/claims/subjects/rights-grant'

/** Whose rights they are (AdCP core/brand-ref.json). */
export interface RightsHolder {
  readonly domain: string
  readonly brand_id?: string
}

/** core/brand-id.json */
const BRAND_ID = /^[a-z0-9_]+$/

/** The holder by its house. An id that a BrandRef cannot have is left out: the house then speaks for the brand. */
export function rightsHolder(house: BrandHouse, brandId: string): RightsHolder {
  return { domain: house.domain, ...(BRAND_ID.test(brandId) && { brand_id: brandId }) }
}

/** core/rights-constraint.json, `grant_status`. Days that are over, or have not begun, are in the validity of the constraint. */
export type AttestedStatus = 'active' | 'paused' | 'revoked'

export function attestedStatus(grant: RightsGrant, now: Date): AttestedStatus {
  const status = grantStatus(grant, now)
  if (status === 'revoked') return status
  return grant.paused ? 'paused' : 'active'
}

/** What is attested of a grant: all that limits its use. */
export interface GrantTerms extends Omit<PresentedConstraint, 'verification_url'> {
  readonly rights_holder: RightsHolder
  readonly grant_status: AttestedStatus
  readonly restrictions?: readonly string[]
  readonly disclosure?: { readonly required: boolean; readonly text?: string }
  readonly creative_approval_required?: true
}

export function grantTerms(
  { verification_url: _notAttested, ...constraint }: PresentedConstraint,
  { agreement }: RightsGrant,
  rights_holder: RightsHolder,
  grant_status: AttestedStatus,
): GrantTerms {
  return {
    ...constraint,
    rights_holder,
    grant_status,
    ...presentClearance(agreement),
    ...(agreement.offering.clearance?.creative_review === 'manual' && { creative_approval_required: true as const }),
  }
}

/** `content_digest`: `sha256:` and the hexadecimal SHA-256 of the canonical JSON (RFC 8785) of a constraint without its digest, references and address. */
export function constraintDigest(constraint: object): string {
  const { content_digest, attestation_refs, verification_url, ...terms }: Readonly<Record<string, unknown>> = { ...constraint }
  return `sha256:${hash('sha256', canonicalize(terms) ?? '', 'hex')}`
}

/** The credential of a grant: named by what it attests, so that the same terms have the same one again. */
export function credentialId(grantId: string, contentDigest: string): string {
  return `${grantId}.${contentDigest.slice('sha256:'.length, 'sha256:'.length + 32)}`
}

/** The subject of the credential (core/attestation-subject.json). */
export function grantSubject({ rights_id: id, rights_agent: { url: namespace } }: GrantTerms, content_digest: string) {
  return { type: 'resource', resource_type: SUBJECT_TYPE, namespace, id, content_digest } as const
}

/** Who attests it (core/attestation-issuer.json). */
export function grantIssuer({ rights_holder: brand }: Pick<GrantTerms, 'rights_holder'>) {
  return { type: 'brand', brand } as const
}
