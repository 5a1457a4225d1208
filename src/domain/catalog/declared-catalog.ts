import type { EventType } from '../event/event-type.ts'
import type { CatalogType } from './catalog-type.ts'

/** What the ids in events and reports name an item by (AdCP enums/content-id-type.json). */
export type ContentIdType =
  | 'sku'
  | 'gtin'
  | 'offering_id'
  | 'job_id'
  | 'hotel_id'
  | 'flight_id'
  | 'vehicle_id'
  | 'listing_id'
  | 'store_id'
  | 'program_id'
  | 'destination_id'
  | 'app_id'

/** How a field of a feed becomes a field of an item. */
export interface FieldMapping {
  feed_field?: string
  catalog_field?: string
  asset_group_id?: string
  value?: unknown
  transform?: 'date' | 'divide' | 'boolean' | 'split'
  format?: string
  timezone?: string
  by?: number
  separator?: string
  default?: unknown
}

export type FeedFormat = 'google_merchant_center' | 'facebook_catalog' | 'shopify' | 'linkedin_jobs' | 'custom'
export type UpdateFrequency = 'realtime' | 'hourly' | 'daily' | 'weekly'

/** A catalog as its buyer declares it, with its items, a feed of them or the id of an earlier one (AdCP core/catalog.json). */
export interface DeclaredCatalog {
  catalog_id?: string
  name?: string
  type: CatalogType
  url?: string
  feed_format?: FeedFormat
  update_frequency?: UpdateFrequency
  items?: { readonly [field: string]: unknown }[]
  /** Items of it that are meant; absent: all. */
  ids?: string[]
  gtins?: string[]
  tags?: string[]
  category?: string
  query?: string
  conversion_events?: EventType[]
  content_id_type?: ContentIdType
  feed_field_mappings?: FieldMapping[]
}
