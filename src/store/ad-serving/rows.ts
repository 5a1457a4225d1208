import type { DriftPolicy } from '../../domain/ad-serving/drift.ts'
import type { RememberedId } from '../../domain/ad-serving/id-memory.ts'
import type { ReviewState } from '../../domain/ad-serving/observed-order.ts'

export interface AdServerChangeTables {
  /** Changes of buyers that are confirmed when their ad server was seen to have them. */
  ad_server_changes: {
    tenant_id: string
    /** The buyer's task, which goes on until then. */
    task_id: string
    ad_server: string
    media_buy_id: string
    principal_id: string
    /** The value of `requested` of the order that has the change. */
    requested: number
    /** What the task is completed with, as JSON. */
    answer: string
  }
}

export interface AdServerCredentialTables {
  /** What an ad server takes our calls with, encrypted under the deployment's secret. */
  ad_server_credentials: {
    tenant_id: string
    ad_server: string
    sealed: string
    updated_at: string
  }
}

/**
 * `open`: it is still there; `healed`: our value was written again; `adopted`: the ad server's value is what is wanted now; `superseded`: the buyer
 * has changed the same thing since; `gone`: someone took it back at the ad server.
 */
export const DRIFT_STATES = ['open', 'healed', 'adopted', 'superseded', 'gone'] as const
export type DriftState = (typeof DRIFT_STATES)[number]

export interface AdServerDriftTables {
  /** What changed at an ad server without us. */
  ad_server_drift: {
    tenant_id: string
    drift_id: string
    media_buy_id: string
    ad_server: string
    subject: string
    field: string
    /** JSON. */
    expected: string
    /** JSON. */
    observed: string
    state: DriftState
    found_at: string
    settled_at: string | null
  }
}

export interface AdServerIdTables {
  /** What an ad server that does not store our ids calls an order, a line or a creative of ours. */
  ad_server_ids: {
    tenant_id: string
    ad_server: string
    order_id: string
    kind: RememberedId['kind']
    external_id: string
    their_id: string
    version: string
    /** JSON. */
    memo: string | null
  }
}

export interface AdServerOrderTables {
  /** One row for each media buy and ad server that it is reconciled with. */
  ad_server_orders: {
    tenant_id: string
    media_buy_id: string
    ad_server: string
    principal_id: string
    /** Grows with every change of the media buy, and whenever someone asks for a new look at its ad server. */
    requested: number
    /** The value of `requested` that the ad server has; grows with it when nothing is wanted but a new look. */
    applied: number
    /** When the order is reconciled next. */
    due_at: string
    /** The process that holds its lease; '' for none. */
    lease: string
    lease_until: string
    /** Failed attempts in a row. */
    attempts: number
    /** Why the ad server does not have the order as it should be; null: it has. */
    reason: string | null
    /** Since when the ad server refuses the order as it is; null: it does not. */
    refused_since: string | null
    /** What it says; null: nothing, or that its setup is wrong. */
    refusal: string | null
    /** The order as it was brought to the ad server last, as JSON. */
    written: string | null
    /** What processes were about to bring there since and did not complete, as a JSON list of orders. */
    attempted: string | null
    /** When the ad server was asked last what it has. */
    observed_at: string | null
    /** When the next delivery report is due. */
    report_at: string
    /** When a report of it was taken as a whole last; null: never. */
    reported_at: string | null
    /** Grows with every import that added to the ledger. */
    imports: number
    /** The task of the buyer that waits for the approval at the ad server; null: none waits. */
    task_id: string | null
    /** What became of that approval; null: there is none to wait for. */
    review: ReviewState | null
  }
}

export interface DeliveryLedgerTables {
  /** What ad servers reported, every revision of it. Rows are added and never changed; the highest revision counts. */
  delivery_ledger: {
    tenant_id: string
    package_id: string
    /** An hour `YYYY-MM-DDTHH` or a day `YYYY-MM-DD`, in UTC. */
    period: string
    /** '' where the ad server counts by line. */
    creative_id: string
    revision: number
    ad_server: string
    reported_at: string
  } & CountColumns
}

/** Counts of a row, as the ledger has them. */
export interface CountColumns {
  impressions: number
  spend_micros: number
  clicks: number
  views: number
  completed_views: number
  viewable_impressions: number
  conversions: number
  conversion_value_micros: number
  milli_points: number
}

export interface DeliverySumTables {
  /** Delivery of a package on a day of the publisher's time zone, by creative; '' where the ad server counts by line. */
  delivery_days: { tenant_id: string; package_id: string; day: string; creative_id: string } & CountColumns
  /** The sums of `delivery_days` over all orders that are in them, by one dimension. */
  delivery_totals: {
    tenant_id: string
    dimension: TotalDimension
    day: string
    /** '' for `all`. */
    value: string
    currency: string
    sandbox: number
  } & CountColumns
  /** The time zone in which the days of a publisher are counted; none: UTC. */
  delivery_zones: {
    tenant_id: string
    time_zone: string
    /** Of sums that are being made again: which time it is. */
    rebuild: string | null
    /** End of the lease of the process that works on the rebuild, ISO 8601 UTC. */
    rebuild_until: string | null
  }
}

export type TotalDimension = 'all' | 'product' | 'buyer' | 'advertiser' | 'account'

export interface ManualOrderTables {
  /** An order at an ad server without an API: what was ordered, and what people said they did. */
  manual_orders: {
    tenant_id: string
    ad_server: string
    /** Our id: the media buy's. */
    order_id: string
    /** JSON of {@link ManualOrder}. */
    document: string
  }
  /** What people reported that a line delivered on a UTC day; a later report of the same day replaces it. */
  manual_delivery: {
    tenant_id: string
    ad_server: string
    order_id: string
    line_id: string
    day: string
    /** JSON of {@link Metrics}. */
    metrics: string
  }
}

export interface StoredAdServerTables {
  /** Ad servers that a publisher set up at run time, beside those of the configuration. */
  tenant_ad_servers: {
    tenant_id: string
    name: string
    type: string
    /** JSON object without secrets. */
    options: string
    drift: DriftPolicy
    /** JSON array of product ids; null: every product that no other ad server is set for. */
    products: string | null
    /** Grows with every change of the row. */
    revision: number
    updated_at: string
  }
}

/**
 * Where the delivery of an order is read. `live`: its ad server is asked. `ledger`: the daily sums, which follow the ledger. `settled`: the daily sums, to which
 * it was added when it was over. `sandbox`: its ad server is asked, and only for reports that include what costs nobody money.
 */
export type DeliverySource = 'live' | 'ledger' | 'settled' | 'sandbox'
