import type { Metrics } from '../media-buy/delivery.ts'

/**
 * What one line delivered in one period, as the ad server counts it now. A later report of the same line, creative and period replaces it: the
 * ledger keeps both as revisions.
 */
export interface DeliveryRow extends Metrics {
  /** Our id of the line. */
  readonly lineExternalId: string
  /** Our id of the creative; absent where the ad server counts by line. */
  readonly creativeExternalId?: string
  /** An hour `YYYY-MM-DDTHH` or a day `YYYY-MM-DD`, in UTC. */
  readonly period: string
}

/** Part of a report. */
export interface DeliveryReport {
  readonly rows: readonly DeliveryRow[]
  /** More of the same report; absent at its end. */
  readonly next?: string
}
