import type { CheckGovernanceRequest } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import type { Tenant } from '../../domain/identity/principal.ts'
import type { Contract } from '../../protocol/contract.ts'
import type { Db } from '../../store/database.ts'

export type PlannedDelivery = NonNullable<CheckGovernanceRequest['planned_delivery']>
export type PurchaseType = NonNullable<CheckGovernanceRequest['purchase_type']>

/** Who buys, and on what account: any task context, and that of carrying out approved work. */
export interface GovernedCall {
  readonly tenant: Tenant
  readonly principal: {
    readonly tenantId: string
    readonly principalId: string
    readonly sandbox: boolean
    readonly conformance?: boolean | undefined
    readonly agentUrl: string | undefined
  }
  readonly account: Account | undefined
  /** The call as it came in; absent where approved work is carried out, whose token was used up before. */
  readonly received?: { readonly tool: string; readonly arguments: unknown }
  /** The release of the call; absent like the call. */
  readonly contract?: Pick<Contract, 'rules'>
  readonly db: Db
  readonly now: Date
}

/** Money that a request is about to commit. */
export interface SpendCommitment {
  /** Name of the task operation. */
  readonly tool: 'create_media_buy' | 'update_media_buy' | 'activate_signal' | 'acquire_rights' | 'update_rights'
  /** `modification`: the commitment `resourceId` exists already, and becomes bigger or another. */
  readonly phase: 'purchase' | 'modification'
  readonly purchaseType: PurchaseType
  /** The request as it came: `plan_id` and `governance_context` are read from it, and signed tokens may bind it. */
  readonly request: object
  readonly invoiceRecipient?: CheckGovernanceRequest['invoice_recipient']
  /** The plan, where the request does not name it but what it changes has one. */
  readonly planId?: string | undefined
  /** What is bought for; default: the brand of the account. */
  readonly brandDomain?: string | undefined
  /** What will really be delivered; `total_budget` and `currency` say how much is committed in all. Without them nothing is known of money. */
  readonly plannedDelivery: PlannedDelivery
  /** Of a modification: what it changes, in words. */
  readonly summary?: string | undefined
  /** Media buy, activation or grant; of a purchase, the id that it will have. */
  readonly resourceId: string
  /** True where the id was made up for this very request: nothing was agreed on it before. */
  readonly isNew?: boolean
}

/** An adjustment or a duty that an approval came with. */
export interface GovernanceCondition {
  readonly field: string
  readonly reason: string
  readonly required_value?: unknown
}

/** One governance agent's yes. */
export interface GovernanceApproval {
  readonly agentUrl: string
  readonly checkId: string
  /** ISO 8601; later than this the approval is none. */
  readonly expiresAt: string
  readonly conditions: readonly GovernanceCondition[]
  readonly findings: readonly object[]
  /** The agent's token for everything that follows, and what uses it up; this server does not verify its own. */
  readonly token: string | undefined
  readonly use: TokenUse | undefined
  /** When the agent expects to hear of delivery. */
  readonly nextCheck: string | undefined
}

/** The approvals of all governance agents of a commitment; empty where it has none. */
export interface Governed {
  readonly planId: string | undefined
  readonly approvals: readonly GovernanceApproval[]
  /** The token that came with the request: stored and passed on, verified where its issuer is known. */
  readonly presented: PresentedToken | undefined
}

/** What a verified token is used up by. `exp` is in Unix seconds. */
export interface TokenUse {
  readonly iss: string
  readonly aud: string
  readonly jti: string
  readonly exp: number
}

/** A token that came with a request. `use` is absent where no agent is known that could have issued it, and for one that was used for this very thing. */
export interface PresentedToken {
  readonly token: string
  readonly use: TokenUse | undefined
}

/**
 * The seller's side of campaign governance (AdCP governance pages): nothing that commits a buyer's money commits before those who govern it
 * have agreed.
 *
 * In a task: `const governed = await services.governance.check(context, {…})` in `prepare`, after every other refusal and before anything is
 * done outside the store; then `await services.governance.record(tx, context, {…same}, governed)` in `handle`; and
 * `presentGovernance(governed)` for the members of the answer. Updates call it only where they raise or alter what is committed.
 */
export interface Governance {
  /**
   * Asks each governance agent of the account, and this server itself where it keeps the plan: the one that is named, else the buyer's newest
   * for the brand. Simulated commitments are checked on this machine only. Throws GOVERNANCE_DENIED with the findings (one refusal is enough),
   * GOVERNANCE_UNAVAILABLE when an answer cannot be had, PERMISSION_DENIED when a token does not verify, INVALID_REQUEST naming `plan_id` when
   * the account is governed and no plan is named, PLAN_NOT_FOUND and CAMPAIGN_SUSPENDED as the agent says.
   */
  check(call: GovernedCall, commitment: SpendCommitment): Promise<Governed>
  /**
   * Stores the approvals with their resources, and uses up the tokens. Throws PERMISSION_DENIED when a token was used meanwhile,
   * GOVERNANCE_UNAVAILABLE when an approval has lapsed.
   */
  record(tx: Db, call: Omit<GovernedCall, 'db'>, commitment: SpendCommitment, governed: Governed): Promise<void>
}

/** What a response says of its governance: the token on the envelope, conditions and findings under `ext` (AdCP protocol envelope, core/ext). */
export function presentGovernance({ planId, approvals }: Governed): {
  readonly governance_context?: string
  readonly ext?: { readonly governance: object }
} {
  if (approvals.length === 0) return {}
  const token = approvals.find((approval) => approval.token !== undefined)?.token
  return {
    ...(token !== undefined && { governance_context: token }),
    ext: {
      governance: {
        ...(planId !== undefined && { plan_id: planId }),
        checks: approvals.map(({ checkId, agentUrl, expiresAt, conditions, findings }) => ({
          check_id: checkId,
          agent_url: agentUrl,
          status: conditions.length > 0 ? 'conditions' : 'approved',
          expires_at: expiresAt,
          ...(conditions.length > 0 && { conditions }),
          ...(findings.length > 0 && { findings }),
        })),
      },
    },
  }
}
