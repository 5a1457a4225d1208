export interface SellerCheckTables {
  /** Checks of this agent's own promises, one for each day or week. */
  seller_checks: {
    /** First day of what it is for, UTC, `2026-11-23`. */
    period: string
    /** Whose key asked; null: none. */
    tenant_id: string | null
    /** Of the attempt that runs, or that ended it; ISO 8601 UTC. */
    started_at: string
    ended_at: string | null
    /** Ids of promises that were kept, and that were broken: JSON arrays. */
    held: string | null
    broken: string | null
    /** The signed text, its detached JWS, the public key as a JWK, and the report as a page. */
    report: string | null
    signature: string | null
    public_key: string | null
    page: string | null
  }
}
