export interface EventTables {
  event_sources: {
    tenant_id: string
    principal_id: string
    account_id: string
    /** The buyer's identifier. */
    event_source_id: string
    /** Ours; the events hang on it. */
    seller_id: string
    document: string
    created_at: string
    updated_at: string
    revision: number
  }
  events: {
    tenant_id: string
    seller_id: string
    /** '' for an event that counts. */
    test_code: string
    event_type: string
    /** Pseudonym of the buyer's event id. */
    event_key: string
    event_time: string
    received_at: string
    matched: number
    document: string
  }
  event_identifiers: {
    tenant_id: string
    seller_id: string
    test_code: string
    event_type: string
    event_key: string
    /** Keyed hash of an identifier of the person. */
    pseudonym: string
  }
  conversions: {
    tenant_id: string
    media_buy_id: string
    package_id: string
    event_type: string
    event_key: string
    event_source_id: string
    day: string
    value_micros: number | null
    /** JSON list of texts. */
    content_ids: string
  }
}
