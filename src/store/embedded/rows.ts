import type { ServingState } from '../../domain/ad-serving/desired-order.ts'
import type { ListKind } from '../../domain/inventory-list.ts'

/** Tables of the embedded ad server. Counts are 64 bits wide: PostgreSQL gives them as text. */
export interface EmbeddedTables {
  /** Grows with every change of lines, creatives or associations of a publisher. */
  embedded_versions: {
    tenant_id: string
    version: number
  }
  embedded_orders: {
    tenant_id: string
    order_id: string
    /** The id that the order has outside: writing it again changes the same order. */
    anchor: string
    state: ServingState
    /** What the order says of itself, as JSON. */
    document: string
    updated_at: string
  }
  embedded_lines: {
    tenant_id: string
    line_id: string
    order_id: string
    anchor: string
    state: ServingState
    ends_at: string
    /** What was ordered and what decisions are made on, as JSON. */
    document: string
    updated_at: string
  }
  embedded_creatives: {
    tenant_id: string
    creative_id: string
    order_id: string
    anchor: string
    document: string
    updated_at: string
  }
  embedded_associations: {
    tenant_id: string
    line_id: string
    creative_id: string
    /** Weight and places as JSON. */
    document: string
  }
  /** The log: every event that counted, once. */
  embedded_events: {
    event_id: string
    tenant_id: string
    line_id: string
    creative_id: string
    place: string
    kind: string
    bot: number
    rate_micros: number | string
    happened_at: string
  }
  /** How far each partition of a log outside the store is counted; a log that was made anew has another id. */
  ad_log_positions: {
    log_id: string
    partition: number
    /** The first offset that is not counted. */
    next_offset: number | string
    /** Grows with each process that takes the partition: what an earlier one still writes is refused. */
    epoch: number
    /** Who took it last. */
    owner: string
    /** What came to the log before this time is counted. */
    complete_until: string
    /** Offsets that the log dropped before they were counted. */
    lost: number | string
  }
  /** Events summed up by hour; made of the log. */
  embedded_hours: {
    tenant_id: string
    line_id: string
    /** Start of the hour, ISO 8601 UTC. */
    hour: string
    creative_id: string
    place: string
    kind: string
    bot: number
    rate_micros: number | string
    events: number | string
  }
  /** Requests for ads of a placement, and events of its ads, by hour and without those of bots; events are made of the log. */
  embedded_place_hours: {
    tenant_id: string
    /** Start of the hour, ISO 8601 UTC. */
    hour: string
    place: string
    requests: number | string
    /** Requests that were answered with an ad. */
    filled: number | string
    impressions: number | string
    viewable_impressions: number | string
    clicks: number | string
    completed_views: number | string
  }
  /** Events of a line over its flight, without those of bots; made of the log. */
  embedded_totals: {
    tenant_id: string
    line_id: string
    kind: string
    events: number | string
  }
  /** Ads that a visitor had of lines with a frequency cap. */
  embedded_exposures: {
    decision_id: string
    tenant_id: string
    viewer: string
    line_id: string
    /** Of the impression; of the decision as long as none was counted. */
    seen_at: string
    /** Whether its impression was counted. */
    confirmed: number
  }
  /** Files of creatives that are hosted here, by a digest of their content. */
  embedded_files: {
    tenant_id: string
    file_id: string
    mime_type: string
    /** In bytes. */
    size: number
    /** 0 while its parts are being written. */
    complete: number
    /** When a creative began to use it last, ISO 8601 UTC. */
    written_at: string
  }
  embedded_file_parts: {
    tenant_id: string
    file_id: string
    /** From 0. */
    part: number
    /** Base64: the one form that both engines and copies of a store have in common. */
    content: string
  }
  /** Files of an HTML5 bundle, by their path in it. */
  embedded_bundle_files: {
    tenant_id: string
    bundle_id: string
    path: string
    file_id: string
  }
  /** Which files and bundles are in use: by a creative, or because a person uploaded them. */
  embedded_file_uses: {
    tenant_id: string
    used_by: string
    /** Of a file or a bundle. */
    file_id: string
  }
  /** Lists that lines are targeted to: properties, or collections. */
  embedded_lists: {
    tenant_id: string
    list_key: string
    kind: ListKind
    /** Where the list is, as JSON. */
    reference: string
    /** Its entries as JSON, as they were read last; null: it was never read. */
    members: string | null
    /** SHA-256 of `members`, in hex, the same for all lists of the same content; null: the list was never read, or not since this column exists. */
    digest: string | null
    /** How many entries it has. */
    entries: number | null
    /** The order that names it; null: it was not read since this column exists. */
    media_buy_id: string | null
    /** Why the last attempt to read it failed. */
    failure: string | null
    /** When it is to be read again, ISO 8601 UTC. */
    due_at: string
    /** When the last flight that needs it ends. */
    needed_until: string
  }
  /** Places of the publisher's pages that people set up. */
  embedded_placements: {
    tenant_id: string
    placement_id: string
    /** What was set, as JSON. */
    document: string
    updated_at: string
  }
}
