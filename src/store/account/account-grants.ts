import type { AccountPermission } from '../../domain/account/permission.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { getPrincipal } from '../identity/identities.ts'

export interface AccountGrant extends AccountPermission {
  readonly tenantId: string
  readonly accountId: string
  readonly principalId: string
}

/**
 * Lets an agent use an account, or changes what it may do there. Throws REFERENCE_NOT_FOUND for an unknown account or agent, and
 * INVALID_REQUEST where simulated and real money would meet.
 */
export async function saveAccountGrant(tx: Db, grant: AccountGrant, now: Date): Promise<void> {
  const principal = await getPrincipal(tx, grant.tenantId, grant.principalId)
  const account = await tx
    .selectFrom('accounts')
    .select(['sandbox', 'principal_id'])
    .where('tenant_id', '=', grant.tenantId)
    .where('account_id', '=', grant.accountId)
    .executeTakeFirst()
  if (!account)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${grant.accountId} in ${grant.tenantId}`, { field: 'account' })
  if (account.principal_id !== grant.principalId && account.sandbox !== principal.sandbox)
    throw new AdcpError('INVALID_REQUEST', 'sandbox buyers use sandbox accounts only, and no other buyer does', {
      field: 'principal',
    })
  const values = {
    read_only: grant.readOnly ? 1 : 0,
    allowed_tasks: grant.allowedTasks === undefined ? null : JSON.stringify(grant.allowedTasks),
  }
  await tx
    .insertInto('account_grants')
    .values({
      tenant_id: grant.tenantId,
      account_id: grant.accountId,
      principal_id: grant.principalId,
      ...values,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id', 'account_id']).doUpdateSet(values))
    .execute()
}

/** Takes a grant away: another agent loses the account, its own agent has all rights again. Throws REFERENCE_NOT_FOUND. */
export async function removeAccountGrant(tx: Db, tenantId: string, accountId: string, principalId: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('account_grants')
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .where('principal_id', '=', principalId)
    .executeTakeFirst()
  if (numDeletedRows === 0n)
    throw new AdcpError('REFERENCE_NOT_FOUND', `no grant of ${accountId} to ${principalId}`, { field: 'account' })
}

/** What an agent may do in each of the accounts for which that was said. */
export async function listPermissions(
  db: Db,
  user: { readonly tenantId: string; readonly principalId: string },
): Promise<AccountPermission[]> {
  const rows = await db
    .selectFrom('account_grants')
    .select(['read_only', 'allowed_tasks'])
    .where('tenant_id', '=', user.tenantId)
    .where('principal_id', '=', user.principalId)
    .execute()
  return rows.map((row) => permissionOf(row.read_only, row.allowed_tasks))
}

/** Grants of some accounts of a tenant, by account. */
export async function listAccountGrants(db: Db, tenantId: string, accountIds: readonly string[]): Promise<AccountGrant[]> {
  if (accountIds.length === 0) return []
  const rows = await db
    .selectFrom('account_grants')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('account_id', 'in', accountIds)
    .orderBy('account_id')
    .orderBy('principal_id')
    .execute()
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    accountId: row.account_id,
    principalId: row.principal_id,
    ...permissionOf(row.read_only, row.allowed_tasks),
  }))
}

/** The permission that a grant's columns hold. */
export function permissionOf(readOnly: number, allowedTasks: string | null): AccountPermission {
  return { readOnly: readOnly === 1, allowedTasks: allowedTasks === null ? undefined : JSON.parse(allowedTasks) }
}
