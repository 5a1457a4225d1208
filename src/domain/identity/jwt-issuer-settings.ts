/** An authorization server that a tenant trusts, as configured. */
export interface JwtIssuerSettings {
  /** Exact `iss`. */
  readonly issuer: string
  /** Exact member of `aud`: this agent's own identifier, so that a token made for somebody else is refused. */
  readonly audience: string
  readonly tenantId: string
  readonly algorithms: readonly JwtAlgorithm[]
  /** Longest time since `iat`, seconds. */
  readonly maxAgeSeconds: number
  readonly jwksUri: string
  readonly foreignScopes: ForeignScopes
}

/** What a token may do that names scopes, but none of AdCP (`openid profile`): what its principal may, or nothing. */
export const FOREIGN_SCOPES = ['inherit', 'none'] as const
export type ForeignScopes = (typeof FOREIGN_SCOPES)[number]

/** Asymmetric only: a secret algorithm would take a public key for its secret (RFC 8725 §2.1). */
export const JWT_ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'PS256', 'PS512', 'RS256'] as const
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number]
