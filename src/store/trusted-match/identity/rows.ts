export interface MatchUserTables {
  /** Impressions of users, by the hash of a token. */
  match_exposures: {
    tenant_id: string
    identity: string
    impression_id: string
    /** JSON array. */
    labels: string
    seen_at: string
  }
  /** Packages that a frequency cap holds back from a user. */
  match_caps: {
    tenant_id: string
    identity: string
    /** Canonical URL of the seller agent. */
    seller: string
    package_id: string
    /** The cap that it was, as {@link capRule} names it. */
    rule: string
    until: string
  }
  /** Exposure tokens that were used. */
  match_nonces: {
    tenant_id: string
    nonce: string
    used_at: string
  }
}
