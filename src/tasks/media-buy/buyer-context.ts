import { AdcpError } from '../../protocol/errors.ts'
import { findTenantAccount } from '../../store/account/tenant-accounts.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import type { TenantOrder } from '../../store/media-buy/order-list.ts'
import type { ApprovalServices } from '../approvals/carry-out.ts'
import type { ChangeContext } from './plan-update.ts'

/** The buyer of an order as its own calls are carried out for, also when it is suspended. Throws REFERENCE_NOT_FOUND when it is gone. */
export async function buyerContext(
  { store, ...services }: ApprovalServices,
  tenantId: string,
  { principalId, buy }: Pick<TenantOrder, 'principalId' | 'buy'>,
  now: Date,
): Promise<ChangeContext> {
  const db = store.read
  const [tenant, row, account] = await Promise.all([
    findTenant(db, tenantId),
    findPrincipal(db, tenantId, principalId),
    findTenantAccount(db, tenantId, buy.accountId),
  ])
  if (!tenant || !row) throw new AdcpError('REFERENCE_NOT_FOUND', `the buyer of ${buy.mediaBuyId} is gone`)
  const sandbox = row.sandbox === 1
  const conformance = sandbox && services.wiring.conformance
  const principal = { tenantId, principalId, sandbox, conformance, name: row.name, agentUrl: row.agent_url ?? undefined }
  return { tenant, principal, account, db, now, services }
}
