import type { Metrics } from '../media-buy/delivery.ts'
import type { ServingState } from './desired-order.ts'

/** A line that is at an ad server, ours or one that people booked; read-only. */
export interface ExistingLine {
  /** The ad server's own ids. */
  readonly id: string
  readonly orderId: string
  readonly orderName: string
  readonly name: string
  /** In the ad server's words, e.g. `DELIVERING`. */
  readonly status: string
  readonly isArchived: boolean
  /** We booked it. */
  readonly isOurs: boolean
  /** In the ad server's words, e.g. `STANDARD`. */
  readonly type: string
  /** ISO 8601 UTC; absent: without an end. */
  readonly startsAt?: string
  readonly endsAt?: string
  /** In the ad server's words, e.g. `CPM`. */
  readonly costType: string
  readonly rateMicros: number
  /** ISO 4217. */
  readonly currency: string
  readonly impressionsDelivered: number
  /** What it has to deliver by its end, in the ad server's words for the unit, e.g. `IMPRESSIONS`; absent: no number. */
  readonly goal?: { readonly unit: string; readonly units: number }
  /** Its inventory is reserved, so that its goal was promised; absent: it is not. */
  readonly isGuaranteed?: boolean
  /** Absent: the ad server does not say it, and the line runs. */
  readonly state?: ServingState
  /** Ids of ad units that it runs on. */
  readonly unitIds: readonly string[]
  /** Sizes of its creatives, `width x height`. */
  readonly sizes?: readonly string[]
  /** Keys that all have to match, each with any of its values, by the ad server's ids and sorted; absent: none, or a targeting that is more than that. */
  readonly keyValues?: readonly { readonly key: string; readonly values: readonly string[] }[]
}

/** An order that is at an ad server with its lines, ours or one that people booked; read-only. */
export interface ExistingOrder {
  /** The ad server's own id. */
  readonly id: string
  readonly name: string
  /** As the ad server names it; '': it does not say. */
  readonly advertiser: string
  readonly lines: readonly ExistingLine[]
}

/** What lines delivered, by the ad server's own ids; what they cost follows from their price. */
export interface ExistingDelivery {
  readonly rows: readonly LineCounts[]
  /** More of the same report; absent at its end. */
  readonly next?: string
}

/** What a line delivered on a UTC day, or in an hour. */
export interface LineCounts extends LineCounters {
  readonly lineId: string
  /** An hour `YYYY-MM-DDTHH` or a day `YYYY-MM-DD`, in UTC; a day where the line has a price by the day. */
  readonly period: string
}

export type LineCounters = Pick<Metrics, 'impressions' | 'clicks' | 'views' | 'completedViews' | 'viewableImpressions'>

export interface ExistingPage {
  readonly lines: readonly ExistingLine[]
  /** Absent on the last page. */
  readonly next?: string
}
