import type { Association, DayLimits, LineSettings, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import type { Holding } from '../../domain/media-buy/inventory.ts'
import type { MakeGood } from '../../domain/media-buy/make-good-terms.ts'
import type { CreativeTerms, LineTerms } from './line.ts'

/** What the tables of the embedded ad server hold as JSON; written by its backend alone. */
export interface OrderDocument {
  readonly settings: OrderSettings
  /** Absent for orders of buyers, whose media buy has both. */
  readonly direct?: DirectRecord
}

/** What is recorded of a direct order beside its terms. */
export interface DirectRecord {
  /** Counts its changes, from 1. */
  readonly revision: number
  /** The newest changes, the oldest first. */
  readonly history: readonly DirectHistoryEntry[]
  /** What was agreed for lines that fell short, the oldest first; absent before the first. */
  readonly makeGoods?: readonly MakeGood[]
}

export interface DirectHistoryEntry {
  readonly revision: number
  /** ISO 8601 UTC. */
  readonly at: string
  /** How the audit log names the credential of the person. */
  readonly person: string
  /** What was changed, one text each; of many the first, and how many more there are. */
  readonly summary: readonly string[]
}

/** The limits of a line from a moment on (ISO 8601 UTC; empty: from the beginning). */
export interface DatedLimits extends DayLimits {
  readonly from: string
}

export interface LineDocument {
  /** As they were ordered. */
  readonly settings: LineSettings
  /** What decisions are made on. */
  readonly terms: LineTerms
  /** The most that the line could ever cost, in micros. */
  readonly committedMicros: number
  /** Its limits by the day, each from when it was written, oldest first; absent: it never had one. */
  readonly dayLimits?: readonly DatedLimits[]
  /** What a line of a direct order costs a day, in micros; absent: it is not sold by the day. */
  readonly dayRateMicros?: number
  /** What a line that the publisher sold holds of the inventory; lines of buyers hold theirs by their package. */
  readonly held?: Holding
}

export interface CreativeDocument {
  readonly externalId: string
  readonly contentVersion: string
  /** Absent: nothing of it is served. */
  readonly terms?: CreativeTerms
  /** Why nothing of it is served; for its buyer. */
  readonly rejection?: string
}

export interface AssociationDocument {
  readonly association: Association
}
