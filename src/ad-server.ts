/** What an ad server of a publisher's own implements, and the errors that it may throw (docs/ad-servers.md). */

export type {
  AdServer,
  Availability,
  AvailabilityQuery,
  BookedLine,
  Booking,
  LineOrder,
} from './ad-serving/ad-server.ts'
export { type AdServerFactory, type AdServerLog, type AdServerSetup, defineAdServer } from './ad-serving/define-ad-server.ts'
export type { DayMetrics, LineReport, Metrics } from './domain/media-buy/delivery.ts'
export type { Flight } from './domain/media-buy/flight.ts'
export type { HeldInventory } from './domain/media-buy/held-inventory.ts'
export type { OrderTerms, Pricing, RecordedDelivery, TargetingOverlay, Window } from './domain/media-buy/media-buy.ts'
export { AdcpError, type AdcpErrorOptions } from './protocol/errors.ts'
