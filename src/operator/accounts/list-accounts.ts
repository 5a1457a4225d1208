import type { Account } from '../../domain/account/account.ts'
import { type AccountGrant, listAccountGrants } from '../../store/account/account-grants.ts'
import { listTenantAccounts } from '../../store/account/tenant-accounts.ts'
import type { OperatorContext } from '../operator-context.ts'

export type ShownGrant = ReturnType<typeof presentGrant>

export interface ShownAccount {
  readonly account_id: string
  readonly name: string
  /** The agent that declared it. */
  readonly principal: string
  /** Domain of the brand that it advertises. */
  readonly advertiser: string | null
  readonly status: Account['status']
  readonly credit_limit: { readonly amount: number; readonly currency: string } | null
  readonly grants: readonly ShownGrant[]
}

/** The accounts of a publisher, each with the agents that may use it beside its own. */
export async function listAccounts({ store }: OperatorContext, tenantId: string): Promise<readonly ShownAccount[]> {
  const accounts = await listTenantAccounts(store.read, tenantId)
  const grants = await listAccountGrants(store.read, tenantId)
  return accounts.map((account) => ({
    account_id: account.accountId,
    name: account.document.name,
    principal: account.principalId,
    advertiser: account.document.brand?.domain ?? null,
    status: account.status,
    credit_limit: account.document.credit_limit ?? null,
    grants: grants.filter(({ accountId }) => accountId === account.accountId).map(presentGrant),
  }))
}

export function presentGrant({ principalId, readOnly, allowedTasks }: AccountGrant) {
  return { principal: principalId, read_only: readOnly, ...(allowedTasks && { tasks: allowedTasks }) }
}
