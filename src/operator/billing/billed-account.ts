import { isParty } from '../../domain/order/order-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findTenantAccount } from '../../store/account/tenant-accounts.ts'
import { listClaims } from '../../store/billing/claims.ts'
import type { Db } from '../../store/database.ts'
import { isPartyOfOrders } from '../../store/order/orders.ts'
import { reportOwnersOf } from '../../store/reporting/generations.ts'

/**
 * Makes sure that `accountId` is an account of a buyer, declared or not, or a billing party of direct orders. One that is gone is known for its invoices
 * and reports. Throws REFERENCE_NOT_FOUND.
 */
export async function requireBilledAccount(db: Db, tenantId: string, accountId: string): Promise<void> {
  const isThere = isParty(accountId)
    ? await isPartyOfOrders(db, tenantId, accountId)
    : (await findTenantAccount(db, tenantId, accountId)) !== undefined
  if (isThere) return
  if ((await listClaims(db, tenantId, accountId)).length > 0 || (await reportOwnersOf(db, tenantId, accountId)).length > 0) return
  throw new AdcpError(
    'REFERENCE_NOT_FOUND',
    `no account ${accountId} in ${tenantId}; billing invoices names the accounts and billing parties that have invoices, accounts list the accounts of buyers`,
    { field: 'account' },
  )
}
