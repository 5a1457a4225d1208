import type { ProposalStatus } from '../../domain/product/proposal.ts'
export interface ProductTables {
  publisher_inventory: {
    tenant_id: string
    publisher: string | null
    properties: string
    collections: string
    plans: string
    updated_at: string
  }
  products: {
    tenant_id: string
    /** '' for the tenant's own products, else the sandbox principal that the product was seeded for. */
    owner: string
    product_id: string
    position: number
    document: string
    /** Set when an import no longer lists the product; media buys may still refer to it. */
    removed_at: string | null
    /** Revision of the products at the last change of this row. */
    revision: number
    created_at: string
    updated_at: string
  }
}

export interface ProposalTables {
  proposals: {
    tenant_id: string
    principal_id: string
    proposal_id: string
    /** The account that the request for it named, if any. */
    account_id: string | null
    status: ProposalStatus
    /** AdCP core/proposal.json. */
    document: string
    expires_at: string
    revision: number
    created_at: string
    updated_at: string
    /** Its terms, where they were made with dates and a budget (`Negotiated`). */
    negotiated: string | null
    /** What became of it (`Ending`); null while it is open. */
    ending: string | null
  }
}

/** Seeded products are rows of the products' table that one sandbox principal owns. */
export interface SeededProductTables {
  seeded_formats: {
    tenant_id: string
    owner: string
    format_id: string
    document: string
  }
}
