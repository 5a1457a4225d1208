import type { AccountGrantTables } from './account-grants.ts'
import type { AccountPaymentTables } from './account-payments.ts'
import type { AccountTables } from './accounts.ts'
import type { AgentKeyTables } from './agent-key-sources.ts'
import type { ApprovalHoldTables } from './approval-holds.ts'
import type { ApprovalTables } from './approvals.ts'
import type { AudienceTables } from './audiences.ts'
import type { AuditTables } from './audit.ts'
import type { AuthFailureTables } from './auth-failures.ts'
import type { BasicUserTables } from './basic-users.ts'
import type { BrandTables } from './brands.ts'
import type { CatalogTables } from './catalogs.ts'
import type { ClientCertificateTables } from './client-certificates.ts'
import type { ContentStandardsTables } from './content-standards.ts'
import type { CreativeAssignmentTables } from './creative-assignments.ts'
import type { CreativeTables } from './creatives.ts'
import type { CustomFormatTables } from './custom-formats.ts'
import type { DirectoryTables } from './directory-tables.ts'
import type { EventTables } from './events.ts'
import type { GovernanceActionTables } from './governance-actions.ts'
import type { GovernanceAgentTables } from './governance-agents.ts'
import type { GovernanceLogTables } from './governance-log.ts'
import type { GovernancePlanTables } from './governance-plans.ts'
import type { IdempotencyTables } from './idempotency.ts'
import type { InventoryTables } from './inventory.ts'
import type { InventoryListTables } from './inventory-lists.ts'
import type { JwtIssuerTables } from './jwt-issuers.ts'
import type { JwtSubjectTables } from './jwt-subjects.ts'
import type { MediaBuyTables } from './media-buys.ts'
import type { NonceTables } from './nonces.ts'
import type { OauthTables } from './oauth-records.ts'
import type { OutboxTables } from './outbox.ts'
import type { BreakerTables } from './outbox-results.ts'
import type { PerformanceFeedbackTables } from './performance-feedback.ts'
import type { PreviewTables } from './previews.ts'
import type { PrincipalTables } from './principals.ts'
import type { ProductTables } from './products.ts'
import type { ProposalTables } from './proposals.ts'
import type { RegistryTables } from './registry-tables.ts'
import type { RightsCreativeTables } from './rights-creatives.ts'
import type { RightsGrantTables } from './rights-grants.ts'
import type { ScheduledEventTables } from './scheduled-events.ts'
import type { SeededProductTables } from './seeded-products.ts'
import type { SharedLimitTables } from './shared-counters.ts'
import type { SiSessionTables } from './si-sessions.ts'
import type { SignalDeploymentTables } from './signal-deployments.ts'
import type { SignalTables } from './signals.ts'
import type { SigningKeyTables } from './signing-keys.ts'
import type { SpendApprovalTables } from './spend-approvals.ts'
import type { TaskTables } from './tasks.ts'
import type { UsageTables } from './usage.ts'
import type { UserPrincipalTables } from './user-principals.ts'
import type { WebhookEndpointTables } from './webhook-endpoints.ts'

/** Every table of the store; each aggregate's file declares its own rows. */
export interface Tables
  extends PrincipalTables,
    GovernancePlanTables,
    GovernanceActionTables,
    GovernanceLogTables,
    AuditTables,
    AuthFailureTables,
    SharedLimitTables,
    IdempotencyTables,
    AccountTables,
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
    CreativeAssignmentTables,
    CustomFormatTables,
    PreviewTables,
    DirectoryTables,
    TaskTables,
    ApprovalTables,
    OutboxTables,
    BreakerTables,
    WebhookEndpointTables,
    ScheduledEventTables,
    SigningKeyTables,
    NonceTables,
    ProductTables,
    SeededProductTables,
    ProposalTables,
    PerformanceFeedbackTables,
    ApprovalHoldTables,
    InventoryTables,
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
    MediaBuyTables {}
