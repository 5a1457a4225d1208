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
}

/** Asymmetric only: a secret algorithm would take a public key for its secret (RFC 8725 §2.1). */
export type JwtAlgorithm = 'EdDSA' | 'ES256' | 'ES384' | 'PS256' | 'PS512' | 'RS256'
