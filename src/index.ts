/** What other programs may use of the consumer's side of the publisher directory. */

export { judgeSupplyPath } from './domain/directory/supply-path/supply-path.ts'
export type { SupplyPathInput, SupplyPathVerdict } from './domain/directory/supply-path/types.ts'
export type { AuthorizedPublisher, RefusalReason, Verification, VerifyOptions } from './domain/directory/verify.ts'
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
export { checkSupplyPath, type SupplyPathReport, type SupplyPathRequest } from './features/directory/supply-path.ts'
export { createSafeFetch, type SafeFetch, type SafeFetchOptions } from './platform/net/safe-fetch.ts'
export { AdcpError, type AdcpErrorOptions } from './protocol/errors.ts'
