/** Names of what can be wrong with a governance token (AdCP transport error taxonomy). For logs: on the wire all are PERMISSION_DENIED. */
export type GovernanceTokenFaultCode =
  | 'governance_jwks_unavailable'
  | 'governance_jwks_untrusted'
  | 'governance_key_unknown'
  | 'governance_token_invalid'
  | 'governance_token_expired'
  | 'governance_token_replayed'
  | 'governance_token_not_yet_valid'
  | 'governance_token_revoked'
  | 'governance_issuer_not_authorized'
  | 'governance_revocation_stale'
  | 'governance_token_not_applicable'

/** Steps of the verifier checklist for signed governance contexts (AdCP security page). */
export type GovernanceTokenStep = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15

/** A refused governance token; `message` is private detail for the log. */
export class GovernanceTokenFault extends Error {
  override readonly name = 'GovernanceTokenFault'
  readonly step: GovernanceTokenStep
  readonly code: GovernanceTokenFaultCode

  constructor(step: GovernanceTokenStep, code: GovernanceTokenFaultCode, detail: string, options?: { readonly cause: unknown }) {
    super(`step ${step}, ${code}: ${detail}`, options)
    this.step = step
    this.code = code
  }
}

export function refuse(step: GovernanceTokenStep, code: GovernanceTokenFaultCode, detail: string): never {
  throw new GovernanceTokenFault(step, code, detail)
}
