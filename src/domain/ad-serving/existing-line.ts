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
  /** Ids of ad units that it runs on. */
  readonly unitIds: readonly string[]
  /** Sizes of its creatives, `width x height`. */
  readonly sizes?: readonly string[]
  /** Keys that all have to match, each with any of its values, by the ad server's ids and sorted; absent: none, or a targeting that is more than that. */
  readonly keyValues?: readonly { readonly key: string; readonly values: readonly string[] }[]
}

export interface ExistingPage {
  readonly lines: readonly ExistingLine[]
  /** Absent on the last page. */
  readonly next?: string
}
