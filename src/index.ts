/** What other programs may use of this package: the port of ad servers, and the consumer's side of the publisher directory. */

export type {
  AdServer,
  Availability,
  AvailabilityQuery,
  BookedLine,
  Booking,
  LineOrder,
} from './ad-serving/ad-server.ts'
export { type AdServerFactory, type AdServerLog, type AdServerSetup, defineAdServer } from './ad-serving/define-ad-server.ts'

export type { AuthorizedPublisher, RefusalReason, Verification, VerifyOptions } from './domain/directory/verify.ts'
export type { DayMetrics, LineReport, Metrics } from './domain/media-buy/delivery.ts'
export type { Flight } from './domain/media-buy/flight.ts'
export type { HeldInventory } from './domain/media-buy/held-inventory.ts'
export type { OrderTerms, Pricing, RecordedDelivery, TargetingOverlay, Window } from './domain/media-buy/media-buy.ts'
export {
  type AuthorizationOptions,
  fetchAgentAuthorizations,
  type PublisherAuthorization,
  verifyAgentAuthorization,
} from './features/directory/client.ts'
export {
  type ComparedRow,
  compareWithSources,
  type Divergence,
  type DivergenceOptions,
  type DivergenceReport,
  detectDivergence,
} from './features/directory/divergence.ts'
export { type ListOptions, listAgentPublishers, type PageStore, type StoredPage } from './features/directory/list-client.ts'
export { DirectoryError, type DirectoryPage, type DirectoryRow } from './features/directory/list-page.ts'
export { createSafeFetch, type SafeFetch, type SafeFetchOptions } from './platform/net/safe-fetch.ts'
export { AdcpError, type AdcpErrorOptions } from './protocol/errors.ts'
