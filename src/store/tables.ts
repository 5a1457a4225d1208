import type { AccountTables } from './accounts.ts'
import type { ApprovalHoldTables } from './approval-holds.ts'
import type { AgentKeyTables } from './agent-key-sources.ts'
import type { BasicUserTables } from './basic-users.ts'
import type { DirectoryTables } from './directory-tables.ts'
import type { IdempotencyTables } from './idempotency.ts'
import type { InventoryTables } from './inventory.ts'
import type { MediaBuyTables } from './media-buys.ts'
import type { JwtSubjectTables } from './jwt-subjects.ts'
import type { NonceTables } from './nonces.ts'
import type { PerformanceFeedbackTables } from './performance-feedback.ts'
import type { PrincipalTables } from './principals.ts'
import type { ProductTables } from './products.ts'
import type { ProposalTables } from './proposals.ts'
import type { TaskTables } from './tasks.ts'

/** Every table of the store; each aggregate's file declares its own rows. */
export interface Tables
  extends PrincipalTables,
    IdempotencyTables,
    AccountTables,
    AgentKeyTables,
    BasicUserTables,
    JwtSubjectTables,
    DirectoryTables,
    TaskTables,
    NonceTables,
    ProductTables,
    ProposalTables,
    PerformanceFeedbackTables,
    ApprovalHoldTables,
    InventoryTables,
    MediaBuyTables {}
