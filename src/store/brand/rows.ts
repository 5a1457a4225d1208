export interface Document {
  tenant_id: string
  position: number
  /** An entry of the import file, as JSON. */
  document: string
}

export interface BrandTables {
  brand_revisions: {
    tenant_id: string
    /** {@link BrandHouse} of the brands that name none, as JSON. */
    house: string
    /** {@link BrandClaims} of the house, as JSON; null where the file has none. */
    claims: string | null
    /** Grows with every import; caches are keyed by it. */
    revision: number
    updated_at: string
  }
  brands: Document & { brand_id: string }
  rights_offerings: Document & { rights_id: string }
  conversation_offerings: Document & { offering_id: string }
}
