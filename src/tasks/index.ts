import type { Task } from '../pipeline/task.ts'
import { getAccountFinancials } from './account/get-account-financials.ts'
import { listAccountChanges } from './account/list-account-changes.ts'
import { listAccounts } from './account/list-accounts.ts'
import { reportUsage } from './account/report-usage.ts'
import { syncAccounts } from './account/sync-accounts.ts'
import { syncGovernance } from './account/sync-governance.ts'
import { acquireRights } from './brand/acquire-rights.ts'
import { creativeApproval } from './brand/creative-approval.ts'
import { getBrandIdentity } from './brand/get-brand-identity.ts'
import { getRights } from './brand/get-rights.ts'
import { searchBrands } from './brand/search-brands.ts'
import { updateRights } from './brand/update-rights.ts'
import { verifyBrandClaim } from './brand/verify-brand-claim.ts'
import { verifyBrandClaims } from './brand/verify-brand-claims.ts'
import { createCollectionList } from './collection/create-collection-list.ts'
import { deleteCollectionList } from './collection/delete-collection-list.ts'
import { getCollectionList } from './collection/get-collection-list.ts'
import { listCollectionLists } from './collection/list-collection-lists.ts'
import { updateCollectionList } from './collection/update-collection-list.ts'
import { complyTestController } from './compliance/comply-test-controller.ts'
import { calibrateContent } from './content-standards/calibrate-content.ts'
import { createContentStandards } from './content-standards/create-content-standards.ts'
import { getContentStandards } from './content-standards/get-content-standards.ts'
import { getMediaBuyArtifacts } from './content-standards/get-media-buy-artifacts.ts'
import { listContentStandards } from './content-standards/list-content-standards.ts'
import { updateContentStandards } from './content-standards/update-content-standards.ts'
import { validateContentDelivery } from './content-standards/validate-content-delivery.ts'
import { getCreativeDelivery } from './creative/get-creative-delivery.ts'
import { getCreativeFeatures } from './creative/get-creative-features.ts'
import { listCreatives } from './creative/list-creatives.ts'
import { listTransformers } from './creative/list-transformers.ts'
import { previewCreative } from './creative/preview-creative.ts'
import { syncCreatives } from './creative/sync-creatives.ts'
import { validateInput } from './creative/validate-input.ts'
import { listAgentPublishers } from './directory/list-agent-publishers.ts'
import { checkGovernance } from './governance/check-governance.ts'
import { getPlanAuditLogs } from './governance/get-plan-audit-logs.ts'
import { reportPlanAdjustment } from './governance/report-plan-adjustment.ts'
import { reportPlanOutcome } from './governance/report-plan-outcome.ts'
import { syncPlans } from './governance/sync-plans.ts'
import { acceptProposal } from './media-buy/accept-proposal.ts'
import { buildCreative } from './media-buy/build-creative.ts'
import { buyProducts } from './media-buy/buy-products.ts'
import { controlMediaBuy } from './media-buy/control-media-buy.ts'
import { createMediaBuy } from './media-buy/create-media-buy.ts'
import { declineProposals } from './media-buy/decline-proposals.ts'
import { getMediaBuyDelivery } from './media-buy/get-media-buy-delivery.ts'
import { getMediaBuys } from './media-buy/get-media-buys.ts'
import { getProducts } from './media-buy/get-products.ts'
import { getReportingStatus } from './media-buy/get-reporting-status.ts'
import { listCreativeFormats } from './media-buy/list-creative-formats.ts'
import { listProducts } from './media-buy/list-products.ts'
import { logEvent } from './media-buy/log-event.ts'
import { providePerformanceFeedback } from './media-buy/provide-performance-feedback.ts'
import { refineProposals } from './media-buy/refine-proposals.ts'
import { requestProposals } from './media-buy/request-proposals.ts'
import { syncAudiences } from './media-buy/sync-audiences.ts'
import { syncCatalogs } from './media-buy/sync-catalogs.ts'
import { syncEventSources } from './media-buy/sync-event-sources.ts'
import { syncReportingReceipts } from './media-buy/sync-reporting-receipts.ts'
import { syncReportingStatus } from './media-buy/sync-reporting-status.ts'
import { updateMediaBuy } from './media-buy/update-media-buy.ts'
import { getPrincipal } from './principal/get-principal.ts'
import { syncAgentNotificationConfigs } from './principal/sync-agent-notification-configs.ts'
import { syncPrincipal } from './principal/sync-principal.ts'
import { createPropertyList } from './property/create-property-list.ts'
import { deletePropertyList } from './property/delete-property-list.ts'
import { getPropertyList } from './property/get-property-list.ts'
import { listPropertyLists } from './property/list-property-lists.ts'
import { updatePropertyList } from './property/update-property-list.ts'
import { validatePropertyDelivery } from './property/validate-property-delivery.ts'
import { getAdcpCapabilities } from './protocol/get-adcp-capabilities.ts'
import { activateSignal } from './signals/activate-signal.ts'
import { getSignals } from './signals/get-signals.ts'
import { siGetOffering } from './sponsored-intelligence/si-get-offering.ts'
import { siInitiateSession } from './sponsored-intelligence/si-initiate-session.ts'
import { siSendMessage } from './sponsored-intelligence/si-send-message.ts'
import { siTerminateSession } from './sponsored-intelligence/si-terminate-session.ts'
import { getTaskStatus } from './tasks/get-task-status.ts'
import { listTasks } from './tasks/list-tasks.ts'

/** Every task of this agent, by the area of the protocol. */
export const TASKS: readonly Task[] = [
  // Protocol
  getAdcpCapabilities,
  getTaskStatus,
  listTasks,
  getPrincipal,
  syncPrincipal,
  syncAgentNotificationConfigs,
  // Products
  getProducts,
  listCreativeFormats,
  // Media buys
  createMediaBuy,
  updateMediaBuy,
  listProducts,
  buyProducts,
  controlMediaBuy,
  requestProposals,
  refineProposals,
  acceptProposal,
  declineProposals,
  getMediaBuys,
  getMediaBuyDelivery,
  getReportingStatus,
  syncReportingReceipts,
  syncReportingStatus,
  providePerformanceFeedback,
  // Directory
  listAgentPublishers,
  // Creatives
  syncCreatives,
  listCreatives,
  previewCreative,
  buildCreative,
  listTransformers,
  getCreativeDelivery,
  getCreativeFeatures,
  validateInput,
  // Property lists
  createPropertyList,
  getPropertyList,
  listPropertyLists,
  updatePropertyList,
  deletePropertyList,
  validatePropertyDelivery,
  // Collection lists
  createCollectionList,
  getCollectionList,
  listCollectionLists,
  updateCollectionList,
  deleteCollectionList,
  // Content standards
  createContentStandards,
  getContentStandards,
  listContentStandards,
  updateContentStandards,
  calibrateContent,
  validateContentDelivery,
  getMediaBuyArtifacts,
  // Signals
  getSignals,
  activateSignal,
  // Campaign governance
  syncPlans,
  checkGovernance,
  reportPlanOutcome,
  reportPlanAdjustment,
  getPlanAuditLogs,
  // Audiences, catalogs, events
  syncAudiences,
  syncCatalogs,
  syncEventSources,
  logEvent,
  // Brands and rights
  getBrandIdentity,
  searchBrands,
  verifyBrandClaim,
  verifyBrandClaims,
  getRights,
  acquireRights,
  updateRights,
  creativeApproval,
  // Sponsored conversations
  siGetOffering,
  siInitiateSession,
  siSendMessage,
  siTerminateSession,
  // Accounts
  syncAccounts,
  syncGovernance,
  listAccounts,
  listAccountChanges,
  getAccountFinancials,
  reportUsage,
  // Compliance
  complyTestController,
]

/** The tasks of a server by every name they answer to; sandbox-only tasks only where the server is a sandbox. */
export function registerTasks(options: {
  readonly sandbox: boolean
  readonly more?: readonly Task[]
  /** Whether some release that is served has a task. */
  has(task: string): boolean
}): ReadonlyMap<string, Task> {
  const registered = [...TASKS, ...(options.more ?? [])]
    .filter((task) => options.sandbox || !task.sandboxOnly)
    .filter(({ since, name }) => since === undefined || options.has(name))
  return new Map(registered.flatMap((task) => [task.name, ...task.aliases].map((name) => [name, task] as const)))
}
