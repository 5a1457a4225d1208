import type { ItemStatus } from '../../domain/catalog/catalog.ts'

export interface CatalogTables {
  catalogs: {
    tenant_id: string
    principal_id: string
    account_id: string
    /** The buyer's identifier. */
    catalog_id: string
    /** Ours; the items hang on it. */
    platform_id: string
    /** The declaration as JSON, without its items. */
    document: string
    items_digest: string
    item_count: number
    pending_count: number
    rejected_count: number
    /** State of the feed as JSON; null for a catalog whose items came with the request. */
    feed: string | null
    next_fetch_at: string | null
    last_synced_at: string
    created_at: string
    revision: number
  }
  catalog_items: {
    tenant_id: string
    platform_id: string
    item_id: string
    position: number
    content_id: string
    status: ItemStatus
    /** JSON list of texts. */
    reasons: string
    document: string
  }
}
