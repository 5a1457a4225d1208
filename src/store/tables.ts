import type { AccountChangeTables } from './account/account-changes.ts'
import type { AccountGrantTables } from './account/account-grants.ts'
import type { AccountPaymentTables } from './account/account-payments.ts'
import type { AccountTables } from './account/accounts.ts'
import type { UsageTables } from './account/usage.ts'
import type { AdServerChangeTables } from './ad-serving/ad-server-changes.ts'
import type { AdServerCredentialTables } from './ad-serving/ad-server-credentials.ts'
import type { AdServerDriftTables } from './ad-serving/ad-server-drift.ts'
import type { AdServerIdTables } from './ad-serving/ad-server-ids.ts'
import type { AdServerOrderTables } from './ad-serving/ad-server-orders.ts'
import type { DeliveryLedgerTables } from './ad-serving/delivery-ledger.ts'
import type { DeliverySumTables } from './ad-serving/delivery-sums.ts'
import type { ManualOrderTables } from './ad-serving/manual-orders.ts'
import type { StoredAdServerTables } from './ad-serving/stored-ad-servers.ts'
import type { ApprovalHoldTables } from './approval/approval-holds.ts'
import type { ApprovalTables } from './approval/approvals.ts'
import type { SandboxDirectiveTables } from './approval/sandbox-directives.ts'
import type { SandboxOutageTables } from './approval/sandbox-outages.ts'
import type { AudienceTables } from './audience/audiences.ts'
import type { AuditTables } from './audit/audit.ts'
import type { BillingTables } from './billing/invoices.ts'
import type { BrandTables } from './brand/brands.ts'
import type { CatalogTables } from './catalog/catalogs.ts'
import type { ContentStandardsTables } from './content-standards/content-standards.ts'
import type { CreativeAssignmentTables } from './creative/creative-assignments.ts'
import type { CreativeTombstoneTables } from './creative/creative-tombstones.ts'
import type { CreativeTables } from './creative/creatives.ts'
import type { CustomFormatTables } from './creative/custom-formats.ts'
import type { PreviewTables } from './creative/previews.ts'
import type { DirectoryMirrorTables } from './directory/directory-mirrors.ts'
import type { DirectoryTables } from './directory/directory-tables.ts'
import type { EventTables } from './event/events.ts'
import type { GovernanceActionTables } from './governance/governance-actions.ts'
import type { GovernanceAgentTables } from './governance/governance-agents.ts'
import type { GovernanceLogTables } from './governance/governance-log.ts'
import type { GovernancePlanTables } from './governance/governance-plans.ts'
import type { SpendApprovalTables } from './governance/spend-approvals.ts'
import type { HouseTables } from './house/house-tables.ts'
import type { AdminKeyTables } from './identity/admin-keys.ts'
import type { AdminRequestTables } from './identity/admin-requests.ts'
import type { AgentKeyTables } from './identity/agent-key-sources.ts'
import type { AuthFailureTables } from './identity/auth-failures.ts'
import type { BasicUserTables } from './identity/basic-users.ts'
import type { ClientCertificateTables } from './identity/client-certificates.ts'
import type { JwtIssuerTables } from './identity/jwt-issuers.ts'
import type { JwtSubjectTables } from './identity/jwt-subjects.ts'
import type { NonceTables } from './identity/nonces.ts'
import type { OauthTables } from './identity/oauth-records.ts'
import type { PrincipalConfigurationTables } from './identity/principal-configurations.ts'
import type { PrincipalTables } from './identity/principals.ts'
import type { SigningKeyTables } from './identity/signing-keys.ts'
import type { UserPrincipalTables } from './identity/user-principals.ts'
import type { InventoryListTables } from './inventory-list/inventory-lists.ts'
import type { SharedLimitTables } from './limits/shared-counters.ts'
import type { InventoryTables } from './media-buy/inventory.ts'
import type { HoldTables } from './media-buy/inventory-holds.ts'
import type { MediaBuyTables } from './media-buy/media-buys.ts'
import type { OrderNoteTables } from './media-buy/order-notes.ts'
import type { PerformanceFeedbackTables } from './media-buy/performance-feedback.ts'
import type { NotificationTables } from './notification/notification-tables.ts'
import type { PeopleTables } from './people/people.ts'
import type { InvitationTables } from './people/person-invitations.ts'
import type { PersonSessionTables } from './people/person-sessions.ts'
import type { ProductTables } from './product/products.ts'
import type { ProposalTables } from './product/proposals.ts'
import type { SeededProductTables } from './product/seeded-products.ts'
import type { FeedSubscriberTables } from './registry/feed-subscribers.ts'
import type { RegistryTables } from './registry/registry-tables.ts'
import type { RightsCreativeTables } from './rights/rights-creatives.ts'
import type { RightsGrantTables } from './rights/rights-grants.ts'
import type { StoredUpgradeTables } from './seal-list-tokens.ts'
import type { LastingKeyTables } from './secrets/lasting-keys.ts'
import type { SecretHolderTables } from './secrets/secret-holders.ts'
import type { SecretRotationTables } from './secrets/secret-rotations.ts'
import type { SiSessionTables } from './si/si-sessions.ts'
import type { SignalDeploymentTables } from './signal/signal-deployments.ts'
import type { SignalTables } from './signal/signals.ts'
import type { IdempotencyTables } from './task/idempotency.ts'
import type { TaskTables } from './task/tasks.ts'
import type { MatchUserTables } from './trusted-match/identity/exposures.ts'
import type { MatchKeyTables } from './trusted-match/match-keys.ts'
import type { MatchProviderTables } from './trusted-match/match-providers.ts'
import type { SyncedPackageTables } from './trusted-match/synced-packages.ts'
import type { OutboxTables } from './webhook/outbox.ts'
import type { BreakerTables } from './webhook/outbox-results.ts'
import type { ScheduledEventTables } from './webhook/scheduled-events.ts'
import type { WebhookAttemptTables } from './webhook/webhook-attempts.ts'
import type { WebhookEndpointTables } from './webhook/webhook-endpoints.ts'

/** Every table of the store; each aggregate's file declares its own rows. */
export interface Tables
  extends PrincipalTables,
    PrincipalConfigurationTables,
    PeopleTables,
    PersonSessionTables,
    InvitationTables,
    NotificationTables,
    BillingTables,
    AdminKeyTables,
    AdminRequestTables,
    GovernancePlanTables,
    GovernanceActionTables,
    GovernanceLogTables,
    AuditTables,
    AuthFailureTables,
    SharedLimitTables,
    IdempotencyTables,
    AccountTables,
    AccountChangeTables,
    AccountGrantTables,
    GovernanceAgentTables,
    SpendApprovalTables,
    AgentKeyTables,
    BasicUserTables,
    UserPrincipalTables,
    AudienceTables,
    EventTables,
    BrandTables,
    CatalogTables,
    ClientCertificateTables,
    JwtIssuerTables,
    JwtSubjectTables,
    CreativeTables,
    CreativeTombstoneTables,
    CreativeAssignmentTables,
    CustomFormatTables,
    PreviewTables,
    DirectoryTables,
    DirectoryMirrorTables,
    TaskTables,
    ApprovalTables,
    OutboxTables,
    BreakerTables,
    WebhookAttemptTables,
    WebhookEndpointTables,
    ScheduledEventTables,
    SigningKeyTables,
    NonceTables,
    ProductTables,
    SeededProductTables,
    ProposalTables,
    PerformanceFeedbackTables,
    ApprovalHoldTables,
    SandboxDirectiveTables,
    SandboxOutageTables,
    InventoryTables,
    HoldTables,
    InventoryListTables,
    ContentStandardsTables,
    SignalTables,
    SignalDeploymentTables,
    UsageTables,
    AccountPaymentTables,
    RightsGrantTables,
    RightsCreativeTables,
    SiSessionTables,
    OauthTables,
    RegistryTables,
    FeedSubscriberTables,
    HouseTables,
    MediaBuyTables,
    OrderNoteTables,
    AdServerOrderTables,
    AdServerDriftTables,
    AdServerCredentialTables,
    AdServerChangeTables,
    AdServerIdTables,
    ManualOrderTables,
    StoredAdServerTables,
    MatchUserTables,
    MatchKeyTables,
    MatchProviderTables,
    SyncedPackageTables,
    DeliveryLedgerTables,
    DeliverySumTables,
    StoredUpgradeTables,
    LastingKeyTables,
    SecretRotationTables,
    SecretHolderTables {}
