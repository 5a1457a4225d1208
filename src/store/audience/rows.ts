export interface AudienceTables {
  audiences: {
    tenant_id: string
    principal_id: string
    account_id: string
    /** The buyer's identifier. */
    audience_id: string
    /** Ours; the members hang on it. */
    seller_id: string
    document: string
    last_synced_at: string
    created_at: string
    revision: number
  }
  audience_members: {
    tenant_id: string
    seller_id: string
    /** Pseudonym of the buyer's id of the person within this audience. */
    member: string
    /** Whether the publisher knows the person by any of the identifiers. */
    matched: number
    /** When the person was last sent; retention counts from here. */
    added_at: string
  }
  audience_identifiers: {
    tenant_id: string
    seller_id: string
    member: string
    kind: string
    /** Keyed hash of the identifier, the same in all audiences of the tenant. */
    pseudonym: string
    matched: number
  }
}
