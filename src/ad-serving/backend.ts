import type { BackendCapabilities } from '../domain/ad-serving/capabilities.ts'
import type { DeliveryReport } from '../domain/ad-serving/delivery-row.ts'
import type {
  Association,
  DesiredCreative,
  LineSettings,
  OrderKey,
  OrderSettings,
  ServingState,
} from '../domain/ad-serving/desired-order.ts'
import type { ExistingDelivery, ExistingOrder, ExistingPage } from '../domain/ad-serving/existing-line.ts'
import type { ObservedOrder } from '../domain/ad-serving/observed-order.ts'
import type { LineRef } from '../domain/ad-serving/step.ts'
import type { UnitReport } from '../domain/ad-serving/unit-day.ts'
import type { Availability, AvailabilityQuery } from './ad-server.ts'

/** What orders are targeted at: ad units and placements, and values of keys. */
export const UNIT_KINDS = ['ad_unit', 'placement', 'key', 'value'] as const

/** A place that ads appear in, as the ad server lists it. */
export interface InventoryUnit {
  /** The ad server's own id. */
  readonly id: string
  readonly name: string
  readonly kind: (typeof UNIT_KINDS)[number]
  /** Id of the unit or key that it lies below. */
  readonly parentId?: string
  /** `width x height` in pixels, e.g. `300x250`; for ad units and placements. */
  readonly sizes?: readonly string[]
}

export interface InventoryPage {
  readonly units: readonly InventoryUnit[]
  /** Absent on the last page. */
  readonly next?: string
}

/** What a line is expected to deliver, in the units that it is billed by. */
export interface LineForecast {
  /** Our id of the line. */
  readonly lineExternalId: string
  /** As the ad server names it, e.g. `IMPRESSIONS`. */
  readonly unit: string
  /** Units that the line has to deliver. */
  readonly goal: number
  readonly delivered: number
  /** Units until the end of the flight, those delivered included. */
  readonly predicted: number
}

/** What a delivery report is asked for. */
export interface ReportRequest {
  readonly tenantId: string
  /** Orders by our ids; at most 100. */
  readonly orderExternalIds: readonly string[]
  /** First UTC day that is wanted, `YYYY-MM-DD`; earlier days may be left out. */
  readonly since: string
  /** `next` of the part before. */
  readonly after?: string
  /** The publisher's (IANA), by whose days a flat price is earned; absent: UTC. */
  readonly timeZone?: string
}

/** What the delivery of orders is asked for that people booked at the ad server. */
export interface ExistingReportRequest {
  /** Orders by the ad server's own ids; at most 100. */
  readonly orderIds: readonly string[]
  /** First UTC day that is wanted, `YYYY-MM-DD`; earlier days may be left out. */
  readonly since: string
  /** `next` of the part before. */
  readonly after?: string
}

/** What a report of ad units is asked for: first and last day of the ad server's time zone, `YYYY-MM-DD`. */
export interface UnitReportRequest {
  readonly first: string
  readonly last: string
  /** `next` of the part before. */
  readonly after?: string
}

/**
 * An ad server that orders are reconciled with. The desired order lies in our store; `observe` says what the ad server has, and the other methods
 * bring it there, one change at a time. Every write is an upsert under the external ids, so that repeating it (after a crash, a lost answer, by two
 * processes) has its effect once; the ad server stores those ids. Calls go over a network: never inside a database transaction. An AdServerRefusal, or
 * an AdcpError that is not transient, is a refusal (refusal.ts); any other error is an outage, and the call is repeated later.
 */
export interface AdServerBackend {
  /** For logs and stored ids: 1 to 32 of `a-z 0-9 _ -`. */
  readonly name: string
  readonly description: string
  /** Nothing is really served. */
  readonly simulated: boolean
  readonly capabilities: BackendCapabilities
  /** Whether it can be reached and takes our credentials. Throws an error whose message says what is wrong. */
  check(): Promise<void>
  /** What a person has to do before something stops working, in words; empty: nothing. Makes no call. */
  warnings?(): readonly string[]
  /**
   * Throws an AdcpError, whose message a buyer reads, for a line that the ad server cannot keep although its capabilities list all of it. Makes no call.
   * Asked before a buyer's order is taken, and for the prices of products that are given to the ad server.
   */
  requireKeepable?(settings: LineSettings): void
  /**
   * Throws an AdcpError, whose message a buyer reads, for what the ad server does not have of what a line is targeted by, such as a place. Asks it, before an order or a
   * change is taken; any other error says that it cannot be asked now.
   */
  requireKnown?(settings: LineSettings): Promise<void>
  /** What can be sold, a page at a time; of one publisher, where the ad server keeps those of several apart. */
  listInventory(tenantId: string, after?: string): Promise<InventoryPage>
  /** How much is left for each query, in their order. */
  forecast(tenantId: string, queries: readonly AvailabilityQuery[]): Promise<readonly Availability[]>
  /** Every line that is there, ours or not, a page at a time; absent where the ad server does not list them. Changes nothing. */
  listLines?(after?: string): Promise<ExistingPage>
  /** An order with its lines, ours or not, by the ad server's own id; undefined: there is none. Absent where orders of others cannot be read. Changes nothing. */
  readOrder?(orderId: string): Promise<ExistingOrder | undefined>
  /** What orders that people booked delivered, corrections included; there where `readOrder` is. Changes nothing. */
  reportOrders?(request: ExistingReportRequest): Promise<ExistingDelivery>
  /** What the lines of an order are expected to deliver until their end; absent where the ad server does not forecast it. */
  forecastDelivery?(order: OrderKey): Promise<readonly LineForecast[]>
  /** The order as it is now, with everything in it; undefined: there is none of this key. */
  observe(order: OrderKey): Promise<ObservedOrder | undefined>
  /**
   * Several orders as they are now, each where its key is, in fewer calls than each alone; at most 50. Undefined for one that has to be asked for alone. Absent where each is.
   * Changes nothing.
   */
  observeAll?(orders: readonly OrderKey[]): Promise<readonly (ObservedOrder | undefined)[]>
  /** Writes the order itself; a new one is active and has no lines. */
  putOrder(order: OrderKey, settings: OrderSettings): Promise<void>
  setOrderState(order: OrderKey, state: ServingState, duplicateId?: string): Promise<void>
  /** Writes a creative that lines of the order may show. */
  putCreative(order: OrderKey, creative: DesiredCreative): Promise<void>
  /** Writes a line. A new one is paused and shows nothing. */
  putLine(order: OrderKey, line: LineRef, settings: LineSettings): Promise<void>
  /** The line shows these creatives and no others. */
  associate(order: OrderKey, line: LineRef, associations: readonly Association[]): Promise<void>
  setLineState(order: OrderKey, line: LineRef, state: ServingState): Promise<void>
  /** What orders delivered, corrections included. */
  report(request: ReportRequest): Promise<DeliveryReport>
  /** What ad units were asked for and showed, a part at a time; absent where the ad server does not count it. Changes nothing. */
  reportUnits?(request: UnitReportRequest): Promise<UnitReport>
  /** There where reports count what has just happened and cost little: delivery is then imported when someone reads it, too. */
  readonly liveReports?: LiveReports
}

/** Reports of an ad server that are up to date at every moment. */
export interface LiveReports {
  /** An order that is read is imported at most this often: each import that finds new figures is a revision in the ledger. */
  readonly everyMs: number
  /**
   * A mark of what each of these orders (by our ids; absent: all) delivered, which differs when the report does; orders that deliver no more may be left out. Costs next
   * to nothing.
   */
  marks(tenantId: string, orderExternalIds: readonly string[] | undefined): Promise<ReadonlyMap<string, string>>
}
