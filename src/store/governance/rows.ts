import type { AuthScheme } from '../../domain/auth-scheme.ts'
import type { EntryKind } from '../../domain/governance/audit-chain.ts'
import type { EscalationState } from '../../domain/governance/escalation.ts'
import type { ActionRecord } from '../../domain/governance/governed-action.ts'
import type { PurchaseType } from '../../domain/governance/plan.ts'

export interface GovernanceActionTables {
  governance_actions: {
    tenant_id: string
    principal_id: string
    plan_id: string
    action_id: string
    action_key: string
    purchase_type: PurchaseType
    caller: string
    seller: string
    status: ActionRecord['status']
    committed_micros: number
    seller_reference: string | null
    governance_context: string
    approved: string | null
    /** What waits for a person, or what the person said, JSON. */
    escalation: string | null
    escalation_state: EscalationState | null
    escalated_check_id: string | null
    counterproposals: number
    check_count: number
    next_check_at: string | null
    created_at: string
    updated_at: string
  }
}

export interface GovernanceAgentTables {
  /** Who has to agree before money of an account is committed. An account's rows are replaced together. */
  account_governance_agents: {
    tenant_id: string
    account_id: string
    position: number
    /** Without its query. */
    url: string
    /** Of the address, sealed; null without one. */
    query: string | null
    scheme: AuthScheme
    /** Sealed; write-only. */
    credentials: string
    /** JSON array; null: all. */
    categories: string | null
    /** Who registered it. */
    principal_id: string
    created_at: string
  }
}

export interface GovernanceLogTables {
  /** Append-only: nothing in this program updates or deletes a row. */
  governance_log: {
    tenant_id: string
    principal_id: string
    plan_id: string
    seq: number
    entry_id: string
    kind: EntryKind
    action_id: string
    document: string
    previous_hash: string
    hash: string
  }
}

export interface PlanKey {
  tenant_id: string
  /** The buyer's agent: plan ids are of its own choice, so they mean something only together with it. */
  principal_id: string
  plan_id: string
}

export interface GovernancePlanTables {
  governance_plans: PlanKey & {
    /** The revision in force. */
    version: number
    created_at: string
    updated_at: string
  }
  governance_plan_versions: PlanKey & {
    version: number
    plan_hash: string
    /** The official plan object as supplied, JSON. */
    document: string
    created_at: string
  }
  /** Members of portfolio plans. */
  governance_plan_members: PlanKey & { member_plan_id: string }
}

export interface SpendApprovalTables {
  /** What governance agents said yes to, for as long as the thing exists: each later check hands their tokens on. */
  spend_approvals: {
    tenant_id: string
    /** Media buy, activation or grant. */
    resource_id: string
    agent_url: string
    check_id: string
    principal_id: string
    account_id: string
    plan_id: string
    tool: string
    phase: string
    /** JSON of {@link ApprovalDocument}. */
    document: string
    expires_at: string
    created_at: string
  }
  /** Tokens that came with requests, verbatim. */
  governance_tokens: {
    tenant_id: string
    token_hash: string
    resource_id: string
    principal_id: string
    tool: string
    token: string
    created_at: string
  }
  used_governance_tokens: {
    iss: string
    aud: string
    jti: string
    /** Last Unix second at which the token could be accepted. */
    expires_at: number
  }
}
