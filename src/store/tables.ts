import type { AccountChangeTables, AccountGrantTables, AccountPaymentTables, AccountTables, UsageTables } from './account/rows.ts'
import type {
  AdServerChangeTables,
  AdServerCredentialTables,
  AdServerDriftTables,
  AdServerIdTables,
  AdServerOrderTables,
  DeliveryLedgerTables,
  DeliverySumTables,
  ManualOrderTables,
  StoredAdServerTables,
} from './ad-serving/rows.ts'
import type { ApprovalHoldTables, ApprovalTables, SandboxDirectiveTables, SandboxOutageTables } from './approval/rows.ts'
import type { AudienceTables } from './audience/rows.ts'
import type { AuditTables } from './audit/rows.ts'
import type { BillingTables } from './billing/rows.ts'
import type { BrandTables } from './brand/rows.ts'
import type { CatalogTables } from './catalog/rows.ts'
import type { ContentStandardsTables } from './content-standards/rows.ts'
import type {
  CreativeAssignmentTables,
  CreativeTables,
  CreativeTombstoneTables,
  CustomFormatTables,
  PreviewTables,
} from './creative/rows.ts'
import type { DirectoryMirrorTables, DirectoryTables } from './directory/rows.ts'
import type { EmbeddedTables } from './embedded/rows.ts'
import type { EventTables } from './event/rows.ts'
import type {
  GovernanceActionTables,
  GovernanceAgentTables,
  GovernanceLogTables,
  GovernancePlanTables,
  SpendApprovalTables,
} from './governance/rows.ts'
import type {
  AdminKeyTables,
  AdminRequestTables,
  AgentKeyTables,
  AuthFailureTables,
  BasicUserTables,
  ClientCertificateTables,
  JwtIssuerTables,
  JwtSubjectTables,
  NonceTables,
  OauthTables,
  PrincipalConfigurationTables,
  PrincipalTables,
  SigningKeyTables,
  UserPrincipalTables,
} from './identity/rows.ts'
import type { InventoryListTables } from './inventory-list/rows.ts'
import type { SharedLimitTables } from './limits/rows.ts'
import type { HoldTables, InventoryTables, MediaBuyTables, OrderNoteTables, PerformanceFeedbackTables } from './media-buy/rows.ts'
import type { NotificationTables } from './notification/rows.ts'
import type { OrderTables } from './order/rows.ts'
import type { FactorTables, InvitationTables, PeopleTables, PersonSessionTables } from './people/rows.ts'
import type { ProductTables, ProposalTables, SeededProductTables } from './product/rows.ts'
import type { FeedSubscriberTables, RegistryTables } from './registry/rows.ts'
import type { ReportingTables } from './reporting/rows.ts'
import type { RightsCreativeTables, RightsGrantTables } from './rights/rows.ts'
import type { StoredUpgradeTables } from './rows.ts'
import type { SavedReportTables } from './saved-report/rows.ts'
import type { LastingKeyTables, SecretHolderTables, SecretRotationTables } from './secrets/rows.ts'
import type { SellerCheckTables } from './seller-check/rows.ts'
import type { SiSessionTables } from './si/rows.ts'
import type { SignalDeploymentTables, SignalTables } from './signal/rows.ts'
import type { IdempotencyTables, TaskTables } from './task/rows.ts'
import type { MatchUserTables } from './trusted-match/identity/rows.ts'
import type { MatchKeyTables, MatchProviderTables, SyncedPackageTables } from './trusted-match/rows.ts'
import type {
  BreakerTables,
  OutboxTables,
  ScheduledEventTables,
  WebhookAttemptTables,
  WebhookEndpointTables,
} from './webhook/rows.ts'

/** Every table of the store; each area declares its own rows in `rows.ts`. */
export interface Tables
  extends PrincipalTables,
    PrincipalConfigurationTables,
    PeopleTables,
    PersonSessionTables,
    FactorTables,
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
    EmbeddedTables,
    MediaBuyTables,
    OrderNoteTables,
    OrderTables,
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
    SecretHolderTables,
    ReportingTables,
    SavedReportTables,
    SellerCheckTables {}
