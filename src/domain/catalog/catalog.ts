import type { DeclaredCatalog } from './declared-catalog.ts'

/** A catalog as its buyer declared it; the items live apart. */
export type CatalogDocument = Omit<DeclaredCatalog, 'items' | 'catalog_id'>

/** An item as it came with the request or the feed. */
export type ItemDocument = Readonly<Record<string, unknown>>

/** Outcome of the review of an item (AdCP enums/catalog-item-status); a `warning` may be shown. */
export type ItemStatus = 'approved' | 'pending' | 'rejected' | 'warning'

export interface CatalogItem {
  /** The identifier of its type, e.g. `hotel_id`; unique within the catalog. */
  readonly itemId: string
  /** What `content_ids` of an event name it by: the identifier of the catalog's `content_id_type`, else the item id. */
  readonly contentId: string
  readonly status: ItemStatus
  readonly reasons: readonly string[]
  readonly document: ItemDocument
}

/** What is said of an item that the review said something about. */
export type FlaggedItem = Pick<CatalogItem, 'itemId' | 'status' | 'reasons'>

/** The state of a feed that is fetched again and again. */
export interface FeedState {
  readonly etag?: string
  readonly lastModified?: string
  /** When it is fetched next; absent without `update_frequency`. */
  readonly nextFetchAt?: string
  /** Fetches that failed since the last good one. */
  readonly failures: number
  /** Why the last one failed, for the buyer. */
  readonly problem?: string
}

/** A buyer's catalog on one account. */
export interface Catalog {
  readonly catalogId: string
  readonly accountId: string
  /** Our identifier, unique in the tenant. */
  readonly platformId: string
  readonly document: CatalogDocument
  /** SHA-256 over the items as stored; says whether a sync changed them. */
  readonly itemsDigest: string
  readonly itemCount: number
  readonly pendingCount: number
  readonly rejectedCount: number
  readonly feed?: FeedState
  readonly lastSyncedAt: string
  readonly createdAt: string
  readonly revision: number
}

/** Most items of one catalog: what one transaction can write without keeping others waiting for a second. */
export const MAX_ITEMS = 20_000

/** Whether an item may be shown in an ad. */
export function isServable({ status }: Pick<CatalogItem, 'status'>): boolean {
  return status === 'approved' || status === 'warning'
}
