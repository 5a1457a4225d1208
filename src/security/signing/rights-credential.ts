import {
  type AttestedStatus,
  CLAIM_TYPE,
  constraintDigest,
  credentialId,
  type GrantTerms,
  grantIssuer,
  grantSubject,
} from '../../domain/rights/attestation.ts'
import { compactJws } from './compact-jws.ts'
import type { Signer } from './sign.ts'

/** The proof format: a W3C verifiable credential (Data Model 2.0) as a compact JWS. */
export const PROOF_FORMAT = 'https://www.w3.org/TR/vc-jose-cose/'
/** `typ` of the status of a credential: no other JWS of the key can pass for one (RFC 8725 §3.11). */
export const STATUS_TYPE = 'adcp-rights-status+jwt'

/** For so long a status is fresh. */
const STATUS_SECONDS = 60 * 60

export interface AttestedGrant {
  readonly terms: GrantTerms
  /** Version of the grant, which grows when more is granted. */
  readonly version: number
  /** Where the status of the grant is. */
  readonly statusUrl: string
}

/** A constraint with its digest and its credential, embedded: it is carried on to sellers, who need to fetch no more than its status and keys. */
export async function attestGrant({ terms, version, statusUrl }: AttestedGrant, signer: Signer) {
  const content_digest = constraintDigest(terms)
  const subject = grantSubject(terms, content_digest)
  const issuer = grantIssuer(terms)
  const id = credentialId(terms.rights_id, content_digest)
  const { domain } = terms.rights_holder
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2', { '@vocab': `${CLAIM_TYPE}#` }],
    type: ['VerifiableCredential', 'RightsGrant'],
    id: `urn:adcp:rights:${id}`,
    issuer: { id: `https://${domain}`, ...issuer },
    validFrom: terms.valid_from,
    ...(terms.valid_until !== undefined && { validUntil: terms.valid_until }),
    credentialStatus: { id: `${statusUrl}?constraint_digest=${encodeURIComponent(content_digest)}`, type: 'RightsGrantStatus' },
    credentialSubject: {
      claim_type: CLAIM_TYPE,
      credential_id: id,
      grant_version: String(version),
      rights_agent: terms.rights_agent,
      rights_holder: terms.rights_holder,
      constraint_digest: content_digest,
      subject,
    },
  }
  const value = await compactJws({ typ: 'vc+jwt' }, credential, signer)
  return {
    content_digest,
    attestation_refs: [{ issuer, claim_type: CLAIM_TYPE, subject, embedded_credential: { format: PROOF_FORMAT, value } }],
  }
}

/** What became of the grant of a credential, signed: a verifier takes it for an hour. */
export function signStatus(
  { terms, digest, status }: { readonly terms: GrantTerms; readonly digest: string; readonly status: AttestedStatus },
  signer: Signer,
  now: Date,
): Promise<string> {
  const claims = {
    issuer: grantIssuer(terms),
    rights_id: terms.rights_id,
    credential_id: credentialId(terms.rights_id, digest),
    constraint_digest: digest,
    grant_status: status,
    checked_at: now.toISOString(),
    valid_until: new Date(now.getTime() + STATUS_SECONDS * 1000).toISOString(),
  }
  return compactJws({ typ: STATUS_TYPE }, claims, signer)
}
