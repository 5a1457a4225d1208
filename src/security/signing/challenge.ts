import { AdcpError } from '../../protocol/errors.ts'

/** The two signing profiles of AdCP; a failure code starts with one of these names. */
export type ProfileName = 'request' | 'webhook'

/** What can be wrong with a signature, without the profile's prefix (AdCP "transport error taxonomy"). */
export type SignatureFaultCode =
  | 'signature_required'
  | 'signature_header_malformed'
  | 'signature_params_incomplete'
  | 'signature_tag_invalid'
  | 'signature_alg_not_allowed'
  | 'signature_window_invalid'
  | 'signature_components_incomplete'
  | 'signature_components_unexpected'
  | 'signature_key_unknown'
  | 'signature_jwks_unavailable'
  | 'signature_jwks_untrusted'
  | 'signature_key_purpose_invalid'
  | 'signature_revocation_stale'
  | 'signature_key_revoked'
  | 'signature_rate_abuse'
  | 'target_uri_malformed'
  | 'signature_invalid'
  | 'signature_digest_mismatch'
  | 'signature_replayed'
  | 'body_malformed'
  | DiscoveryFaultCode

/** Links of the chain from an agent URL to its keys that can break. */
export type DiscoveryFaultCode =
  | 'signature_capabilities_unreachable'
  | 'signature_brand_json_url_missing'
  | 'signature_brand_json_unreachable'
  | 'signature_brand_json_malformed'
  | 'signature_brand_origin_mismatch'
  | 'signature_agent_not_in_brand_json'
  | 'signature_brand_json_ambiguous'
  | 'signature_key_origin_mismatch'
  | 'signature_key_origin_missing'

/** Step of the AdCP verifier checklist behind each code; `0` represents the decisions before it. */
const STEP: Readonly<Record<SignatureFaultCode, string>> = {
  signature_required: '0',
  signature_header_malformed: '1',
  signature_params_incomplete: '2',
  signature_tag_invalid: '3',
  signature_alg_not_allowed: '4',
  signature_window_invalid: '5',
  signature_components_incomplete: '6',
  signature_components_unexpected: '6',
  signature_key_unknown: '7',
  signature_jwks_unavailable: '7',
  signature_jwks_untrusted: '7',
  signature_capabilities_unreachable: '7',
  signature_brand_json_url_missing: '7',
  signature_brand_json_unreachable: '7',
  signature_brand_json_malformed: '7',
  signature_brand_origin_mismatch: '7',
  signature_agent_not_in_brand_json: '7',
  signature_brand_json_ambiguous: '7',
  signature_key_origin_mismatch: '7',
  signature_key_origin_missing: '7',
  signature_key_purpose_invalid: '8',
  signature_revocation_stale: '9',
  signature_key_revoked: '9',
  signature_rate_abuse: '9a',
  target_uri_malformed: '10',
  signature_invalid: '10',
  signature_digest_mismatch: '11',
  signature_replayed: '12',
  body_malformed: '14',
}

/** Public text of a refusal in place of the general words. */
export interface PublicWords {
  readonly message?: string
  readonly suggestion?: string
}

/** Thrown by a check; `message` is private detail for the log. */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault'
  readonly code: SignatureFaultCode

  constructor(code: SignatureFaultCode, detail: string, options?: { readonly cause: unknown }) {
    super(detail, options)
    this.code = code
  }
}

/** A refused signature, ready for the wire. `step` and `cause` are for the log: the response names the code only. */
export class SignatureError extends AdcpError {
  /** The graded code, e.g. `request_signature_window_invalid`. */
  readonly signatureCode: string
  /** Step of the AdCP verifier checklist that failed. */
  readonly step: string

  /** `message` and `suggestion` are public and replace the general words. */
  constructor(profile: ProfileName, fault: SignatureFault, words: PublicWords = {}) {
    const signatureCode = `${profile}_${fault.code}`
    const unsigned = fault.code === 'signature_required'
    super(unsigned ? 'AUTH_REQUIRED' : 'AUTH_INVALID', words.message ?? publicMessage(fault.code, signatureCode), {
      ...(words.suggestion !== undefined && { suggestion: words.suggestion }),
      // A key set that cannot be fetched right now is no reason to rotate a key.
      ...(fault.code === 'signature_jwks_unavailable' && { recovery: 'transient' as const }),
      http: { status: 401, headers: { 'WWW-Authenticate': signatureChallenge(signatureCode) } },
      cause: fault,
    })
    this.signatureCode = signatureCode
    this.step = STEP[fault.code]
  }
}

/** Value of `WWW-Authenticate` for a refused signature: the code and no other parameter. */
export function signatureChallenge(signatureCode: string): string {
  return `Signature error="${signatureCode}"`
}

function publicMessage(code: SignatureFaultCode, signatureCode: string): string {
  if (code === 'signature_required')
    return 'This request must be signed (RFC 9421). Send the Signature and Signature-Input headers.'
  return `The request's signature was refused: ${signatureCode}.`
}
