import type { AdServers } from '../../ad-serving/ad-servers.ts'
import type { Account } from '../../domain/account/account.ts'
import { requireUsable } from '../../domain/account/lifecycle.ts'
import type { ActingPrincipal, Tenant } from '../../domain/identity/principal.ts'
import type { BrandRegistry } from '../../features/brands/brand-registry.ts'
import type { GrantAttestations } from '../../features/brands/grant-attestations.ts'
import type { Governance } from '../../features/governance/governance.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findAccount } from '../../store/account/accounts.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import type { Db, Store } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import type { ProductCache } from '../../store/product/product-cache.ts'

/** What deciding on the work of buyers needs. */
export interface ApprovalServices {
  readonly store: Store
  readonly contracts: Contracts
  readonly adServers: AdServers
  readonly products: ProductCache
  readonly brands: BrandRegistry
  readonly attestations: GrantAttestations
  readonly wiring: { readonly agentUrl: string; readonly conformance: boolean; readonly timeZone: string }
  readonly governance: Governance
}

/** What approved work is carried out with: as a call of its agent, long after that call. */
export interface CarryOutContext {
  readonly tenant: Tenant
  readonly principal: ActingPrincipal & { readonly name: string; readonly agentUrl: string | undefined }
  readonly account: Account | undefined
  readonly services: Omit<ApprovalServices, 'store'>
  readonly db: Db
  readonly now: Date
  /** Idempotency anchor of calls to other systems: the same however often the approval is carried out. */
  readonly anchor: string
}

/** Work that is done outside the store. */
export interface CarriedOut {
  /** In the transaction of the decision: writes it and gives the result of the task. */
  write(tx: Db): Promise<object>
  /** What the buyer's task goes on to wait for; absent: the task is done. What `write` gives is not shown then. */
  readonly goesOn?: string
  /** Takes back what was done outside, when the transaction refuses it. */
  undo?(): Promise<void>
}

/**
 * Carries out one kind of approved work: checks again everything that may have changed since it was submitted, then does what happens outside
 * the store. Repeating it under the same anchor has the same effect once. Throws the AdcpError that ends the task as failed; one whose recovery is
 * `transient` is tried again.
 */
export type CarryOut = (approval: Approval, context: CarryOutContext) => Promise<CarriedOut>

/** The agent and the account of an approval as they are now. Throws when the agent may no longer act, or the account cannot be used. */
export async function carryOutContext(
  { store, ...services }: ApprovalServices,
  approval: Approval,
  now: Date,
): Promise<CarryOutContext> {
  const { tenantId, principalId, accountId, taskId } = approval
  const tenant = await findTenant(store.read, tenantId)
  const row = await findPrincipal(store.read, tenantId, principalId)
  if (!tenant || row?.status !== 'active')
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', 'the agent that sent the request may no longer act')
  const account = accountId === '' ? undefined : await findAccount(store.read, approval, accountId)
  if (accountId !== '' && !account) throw new AdcpError('ACCOUNT_NOT_FOUND', 'the account is gone', { field: 'account' })
  if (account) requireUsable(account)
  const sandbox = row.sandbox === 1
  const conformance = sandbox && services.wiring.conformance
  return {
    tenant,
    principal: { tenantId, principalId, sandbox, conformance, name: row.name, agentUrl: row.agent_url ?? undefined },
    account,
    services,
    db: store.read,
    now,
    anchor: `approval:${tenantId}:${taskId}`,
  }
}

/** A result with the conditions of its approval, where every response has room for them (AdCP core/ext). */
export function withConditions(result: object, conditions: readonly string[]): object {
  if (conditions.length === 0) return result
  const ext: unknown = Reflect.get(result, 'ext')
  return { ...result, ext: { ...(typeof ext === 'object' ? ext : {}), approval_conditions: conditions } }
}
