import type { Association, LineSettings, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import type { Holding } from '../../domain/media-buy/inventory.ts'
import type { CreativeTerms, LineTerms } from './line.ts'

/** What the tables of the embedded ad server hold as JSON; written by its backend alone. */
export interface OrderDocument {
  readonly settings: OrderSettings
}

export interface LineDocument {
  /** As they were ordered. */
  readonly settings: LineSettings
  /** What decisions are made on. */
  readonly terms: LineTerms
  /** The most that the line could ever cost, in micros. */
  readonly committedMicros: number
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
