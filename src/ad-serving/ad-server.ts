import type { Flight } from '../domain/calendar/flight.ts'
import type { OpenWeek } from '../domain/calendar/open-week.ts'
import type { LineHours, LineReport } from '../domain/media-buy/delivery.ts'
import type { PaceChange } from '../domain/media-buy/feedback.ts'
import type { HeldInventory } from '../domain/media-buy/held-inventory.ts'
import type { OrderTerms, Pricing, RecordedDelivery, Window } from '../domain/media-buy/media-buy.ts'
import type { TargetingOverlay } from '../domain/product/targeting-overlay.ts'

/** A line of an order as the ad server gets to know it. */
export interface LineOrder {
  readonly packageId: string
  readonly productId: string
  readonly pricing: Pricing
  readonly guaranteed: boolean
  readonly terms: OrderTerms
  readonly targetingOverlay?: TargetingOverlay
  /** The id that the ad server gave the line; absent while it is not booked. */
  readonly lineId?: string
}

/** Where an order and its lines stand at the ad server. */
export interface Booking {
  readonly orderId: string
  /** Line id by package id. */
  readonly lineIds: ReadonlyMap<string, string>
}

export interface AvailabilityQuery {
  readonly productId: string
  readonly flight: Flight
  /** Impressions wanted over the flight. */
  readonly impressions: number
  /** Impressions that the inventory serves in a day. */
  readonly dailyCapacity: number
  /** What other orders hold of the product already. */
  readonly held: HeldInventory
  /** The hours of a week in which they are to be shown; absent: all. */
  readonly openWeek?: OpenWeek
  /** What narrows the line; absent: nothing. Ad servers that forecast by product alone ignore it. */
  readonly targeting?: TargetingOverlay
}

export interface Availability {
  readonly productId: string
  readonly available: number
  readonly sufficient: boolean
  /** The number is for the targeting that was asked for; absent: it is for the product as a whole. */
  readonly forTargeting?: true
}

/** A booked line with its whole history, as reports need it. */
export interface BookedLine {
  readonly packageId: string
  readonly lineId: string
  readonly pricing: Pricing
  readonly channels: readonly string[]
  /** Every version of the order, oldest first. */
  readonly terms: readonly OrderTerms[]
  /** When there was an ad to serve. */
  readonly serving: readonly Window[]
  /** Delivery booked elsewhere that draws on the same budget; reports do not repeat it. */
  readonly recorded: readonly RecordedDelivery[]
  /** How the buyer judged the line's performance, oldest first. */
  readonly feedback?: readonly PaceChange[]
}

/**
 * The one port to ad servers. Every call that changes something carries `anchor`, the idempotency anchor of the buyer's call: repeating it with the
 * same anchor has the same effect once and gives the same answer; an order that was canceled in between is booked again. Calls go over a
 * network: never inside a database transaction. Failures are AdcpErrors (SERVICE_UNAVAILABLE when the ad server cannot be reached).
 */
export interface AdServer {
  /** Shown in capabilities and logs. */
  readonly name: string
  readonly description: string
  /** Nothing is really served. */
  readonly simulated: boolean
  /**
   * Throws UNSUPPORTED_FEATURE, naming the field, for the first line that the ad server cannot keep. Makes no call. Asked before a person at the seller is
   * asked to approve an order; `book` and `change` ask again. Absent where the ad server only knows when it books.
   */
  requireKeepable?(lines: readonly LineOrder[]): void
  checkAvailability(queries: readonly AvailabilityQuery[]): Promise<readonly Availability[]>
  /** Books an order with its lines. */
  book(anchor: string, mediaBuyId: string, lines: readonly LineOrder[]): Promise<Booking>
  /** Brings lines of an order to the given terms (budget, flight, price, pause, targeting); books those it does not know. */
  change(anchor: string, orderId: string, lines: readonly LineOrder[], mediaBuyId: string): Promise<Booking>
  pause(anchor: string, orderId: string): Promise<void>
  resume(anchor: string, orderId: string): Promise<void>
  /** Ends an order, or only the given lines. An order that does not exist is no error. */
  cancel(anchor: string, orderId: string, lineIds?: readonly string[]): Promise<void>
  /** Delivery of lines by day up to `now`: UTC days, or those of a time zone where the ad server can count them. */
  reportDelivery(lines: readonly BookedLine[], now: Date, timeZone?: string): Promise<readonly LineReport[]>
  /** Delivery of lines in hours of UTC, `YYYY-MM-DDTHH`, that are over; an hour without delivery may be left out. Absent where the ad server counts by day; not asked of modules. */
  reportHours?(lines: readonly BookedLine[], hours: readonly string[]): Promise<readonly LineHours[]>
}
