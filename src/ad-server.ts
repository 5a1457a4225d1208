/** What an ad server of a publisher's own implements, and the errors that it may throw (docs/ad-servers.md). */

export type {
  AdServer,
  Availability,
  AvailabilityQuery,
  BookedLine,
  Booking,
  LineOrder,
} from './ad-serving/ad-server.ts'
export type { AdServerBackend, InventoryPage, InventoryUnit, ReportRequest } from './ad-serving/backend.ts'
export { type AdServerFactory, type AdServerLog, type AdServerSetup, defineAdServer } from './ad-serving/define-ad-server.ts'
export type { BackendCapabilities } from './domain/ad-serving/capabilities.ts'
export type { DeliveryReport, DeliveryRow } from './domain/ad-serving/delivery-row.ts'
export type {
  Association,
  DesiredCreative,
  LinePrice,
  LineSettings,
  OrderKey,
  OrderSettings,
  ServingState,
} from './domain/ad-serving/desired-order.ts'
export type { ObservedCreative, ObservedLine, ObservedOrder, ObservedState } from './domain/ad-serving/observed-order.ts'
export type { LineRef } from './domain/ad-serving/step.ts'
export type { Flight } from './domain/calendar/flight.ts'
export type { DayMetrics, LineReport, Metrics } from './domain/media-buy/delivery.ts'
export type { HeldInventory } from './domain/media-buy/held-inventory.ts'
export type { OrderTerms, Pricing, RecordedDelivery, Window } from './domain/media-buy/media-buy.ts'
export type { TargetingOverlay } from './domain/product/targeting-overlay.ts'
export { AdcpError, type AdcpErrorOptions } from './protocol/errors.ts'
