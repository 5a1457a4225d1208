import type { ColumnType } from 'kysely'
import type { Period } from '../../domain/media-buy/calendar-period.ts'
import type { DeliverySource } from '../ad-serving/rows.ts'

export interface InventoryTables {
  inventory_periods: {
    tenant_id: string
    /** '' for real inventory, else the sandbox principal that simulates with it. */
    pool: string
    product_id: string
    /** A day (`YYYY-MM-DD`, UTC), or the beginning of one: a month, a year, a century. */
    period: Period
    /** Impressions on each of its days. */
    reserved: number
  }
}

export interface HoldTables {
  /** What finalized proposals hold of the inventory: counted in `inventory_periods` too, as long as the row is here. */
  inventory_holds: {
    tenant_id: string
    principal_id: string
    proposal_id: string
    position: number
    /** As in `inventory_periods`. */
    pool: string
    product_id: string
    impressions: number
    starts_at: string
    ends_at: string
    /** Hours of a week that it is spread over (OpenWeek); null: all. */
    open_week: string | null
    expires_at: string
  }
}

export interface MediaBuyTables {
  media_buys: {
    tenant_id: string
    media_buy_id: string
    principal_id: string
    account_id: string
    /** The decision that ends a buy before its flight does. */
    decision: 'canceled' | 'rejected' | null
    paused: number
    starts_at: string
    ends_at: string
    revision: number
    created_at: string
    /** Of all packages that are not canceled. */
    budget_micros: number
    currency: string
    /** Words that the publisher's people find the order by, in small letters. */
    search: string
    /** Domain of the advertiser; '' when the order names none. */
    advertiser: string
    delivery_source: ColumnType<DeliverySource, DeliverySource | undefined, DeliverySource>
    /** The media buy without its packages. */
    document: string
  }
  packages: {
    tenant_id: string
    package_id: string
    media_buy_id: string
    position: number
    product_id: string
    document: string
  }
}

export interface OrderNoteTables {
  /** What colleagues write about an order; its buyer never sees it. */
  order_notes: {
    tenant_id: string
    media_buy_id: string
    note_id: string
    /** The person, as the audit log names them. */
    author: string
    note: string
    created_at: string
  }
}

export interface PerformanceFeedbackTables {
  performance_feedback: {
    tenant_id: string
    feedback_id: string
    media_buy_id: string
    created_at: string
    document: string
  }
}
