import { setAccountStatus as setStoredStatus } from '../../store/account/tenant-accounts.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** What a publisher may make of an account. */
export const ACCOUNT_STATUSES = ['active', 'payment_required', 'suspended', 'rejected', 'closed'] as const

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** Approves, suspends or closes an account. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function setAccountStatus(
  context: OperatorContext,
  { tenantId, accountId, status }: { readonly tenantId: string; readonly accountId: string; readonly status: AccountStatus },
): Promise<void> {
  const store = auditedStore(context, { task: 'accounts.status', tenant: tenantId, account: accountId, subject: status })
  await store.transaction((tx) => setStoredStatus(tx, tenantId, accountId, status, context.clock()))
}
