import type { FormatKey } from '../creative/formats/format-id.ts'
import type { Pacing } from '../media-buy/order-request.ts'
import type { DeliveryType } from '../product/offer.ts'
import type { PricingModel } from '../product/pricing-option.ts'
import type { TargetingOverlay } from '../product/targeting-overlay.ts'

/** How both sides name an order. The ad server stores both parts, and finds the order by them. */
export interface OrderKey {
  readonly tenantId: string
  /** Our id of the order: the media buy's. */
  readonly externalId: string
}

/** Whether an order or a line serves. `ended` is final. */
export const SERVING_STATES = ['active', 'paused', 'ended'] as const
export type ServingState = (typeof SERVING_STATES)[number]

/** What an order says of itself, lines aside. */
export interface OrderSettings {
  readonly name: string
  /** Our id of who pays: the buyer's account. */
  readonly advertiserId: string
  /** ISO 4217. */
  readonly currency: string
  /** Sum of the budgets of its lines. */
  readonly budgetMicros: number
  /** First moment of the first flight of its lines, ISO 8601 UTC. */
  readonly startsAt: string
  /** Moment at which the last flight of its lines is over, ISO 8601 UTC. */
  readonly endsAt: string
}

/** What delivery is charged at. */
export interface LinePrice {
  readonly model: PricingModel
  readonly basis: 'fixed' | 'auction'
  /** Price of one pricing unit (a thousand impressions, a click, …) in micros. */
  readonly rateMicros: number
  /** Highest bid of an auction in micros; absent for fixed prices. */
  readonly bidMicros?: number
}

export interface DayLimits {
  readonly ownMicros?: number
  readonly sharedMicros?: number
}

/** What a line says of itself, but for whether it serves and which creatives it shows. */
export interface LineSettings {
  readonly productId: string
  /** First moment of the flight, ISO 8601 UTC. */
  readonly startsAt: string
  /** Moment at which the flight is over, ISO 8601 UTC. */
  readonly endsAt: string
  readonly budgetMicros: number
  readonly price: LinePrice
  /** Impressions that the line has to deliver; null: as many as the budget buys. */
  readonly goalImpressions: number | null
  readonly priority: DeliveryType
  readonly pacing: Pacing
  /** The most that a UTC day may cost, in micros: the line, and all lines of its order together; null and absent: no limit. */
  readonly dailyCap?: DayLimits | null
  /** What the buyer narrowed the product down to; null: nothing. */
  readonly targeting: TargetingOverlay | null
}

/** A creative on a line. */
export interface Association {
  /** Our id of the creative. */
  readonly creativeExternalId: string
  /** Share of the rotation in percent; null: as the ad server rotates. */
  readonly weight: number | null
  /** Placements of the product that it is for; null: all. */
  readonly placementIds: readonly string[] | null
}

/** A creative as it serves: approved, with the content that was approved. */
export interface DesiredCreative {
  /** Our id of the creative: the buyer's, which is unique within the order. */
  readonly externalId: string
  readonly name: string
  readonly formatId: FormatKey
  /** AdCP core/creative-asset.json, `assets`. */
  readonly assets: Readonly<Record<string, unknown>>
  /** Changes with name, format and assets; ad servers store it instead of comparing contents. */
  readonly contentVersion: string
}

export interface DesiredLine {
  /** Our id of the line: the package's. */
  readonly externalId: string
  readonly state: ServingState
  readonly settings: LineSettings
  /** Approved creatives alone; sorted by creative. */
  readonly associations: readonly Association[]
}

/** An order as it should be at one ad server: the publisher's side of a media buy. */
export interface DesiredOrder {
  readonly key: OrderKey
  readonly state: ServingState
  readonly settings: OrderSettings
  readonly lines: readonly DesiredLine[]
  /** Every creative that a line of this order shows; sorted by id. */
  readonly creatives: readonly DesiredCreative[]
}
