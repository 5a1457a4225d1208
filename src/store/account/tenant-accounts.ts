import { sql } from 'kysely'
import type { Account } from '../../domain/account/account.ts'
import type { AccountDocument, AccountStatus } from '../../domain/account/account-document.ts'
import { canTransition } from '../../domain/account/lifecycle.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../database.ts'
import { accountOf, saveAccount } from './accounts.ts'

/** Declared accounts of a tenant, all or those that a buyer owns, by id behind `after`; `limit` at most. */
export async function listTenantAccounts(
  db: Db,
  tenantId: string,
  { buyer, after, limit }: { readonly buyer?: string | undefined; readonly after: string | undefined; readonly limit: number },
): Promise<Account[]> {
  const rows = await db
    .selectFrom('accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('implicit', '=', 0)
    .$if(buyer !== undefined, (q) => q.where('principal_id', '=', buyer ?? ''))
    .$if(after !== undefined, (q) => q.where('account_id', '>', after ?? ''))
    .orderBy('account_id')
    .limit(limit)
    .execute()
  return rows.map(accountOf)
}

/** Accounts of a publisher that wait for its approval, by id; `limit` at most. */
export async function listPendingAccounts(db: Db, tenantId: string, limit: number): Promise<Account[]> {
  const rows = await db
    .selectFrom('accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    // As a constant it is the condition of an index.
    .where('status', '=', sql.lit('pending_approval' as const))
    .where('implicit', '=', 0)
    .orderBy('account_id')
    .limit(limit)
    .execute()
  return rows.map(accountOf)
}

/** One account of a tenant, for its operator and for those who follow it. */
export async function findTenantAccount(db: Db, tenantId: string, accountId: string): Promise<Account | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && accountOf(row)
}

/** Those of the named accounts that there are. */
export async function findTenantAccounts(db: Db, tenantId: string, accountIds: readonly string[]): Promise<Account[]> {
  if (accountIds.length === 0) return []
  const rows = await db
    .selectFrom('accounts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('account_id', 'in', accountIds)
    .execute()
  return rows.map(accountOf)
}

/** Those of the named accounts that are sandbox accounts. */
export async function sandboxAccountsAmong(db: Db, tenantId: string, accountIds: readonly string[]): Promise<string[]> {
  if (accountIds.length === 0) return []
  const rows = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('tenant_id', '=', tenantId)
    .where('account_id', 'in', accountIds)
    .where('sandbox', '=', 1)
    .execute()
  return rows.map(({ account_id: id }) => id)
}

/** Moves an account to another status as the operator decided, with what the buyer reads about it; one that has it stays as it is. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function setAccountStatus(
  tx: Db,
  tenantId: string,
  accountId: string,
  status: AccountStatus,
  now: Date,
  reason?: string,
): Promise<void> {
  const account = await findTenantAccount(tx, tenantId, accountId)
  if (!account) throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${accountId} in ${tenantId}`, { field: 'account' })
  if (account.status === status) return
  if (!canTransition(account.status, status))
    throw new AdcpError('INVALID_STATE', `the account is ${account.status}`, { field: 'account' })
  const { setup, ext, ...document } = account.document
  const others = Object.entries(ext ?? {}).filter(([name]) => name !== 'status_reason')
  const newExt = { ...Object.fromEntries(others), ...(reason !== undefined && { status_reason: reason }) }
  const next: AccountDocument = {
    ...document,
    ...(setup && status !== 'active' && { setup }),
    ...(Object.keys(newExt).length > 0 && { ext: newExt }),
  }
  await saveAccount(tx, { ...account, status, document: next }, now)
}

/** Writes what the buyer has to do before an account is approved, where its buyer reads it. Throws REFERENCE_NOT_FOUND, INVALID_STATE for one that is decided. */
export async function askAboutAccount(tx: Db, tenantId: string, accountId: string, question: string, now: Date): Promise<void> {
  const account = await findTenantAccount(tx, tenantId, accountId)
  if (!account) throw new AdcpError('REFERENCE_NOT_FOUND', `no account ${accountId} in ${tenantId}`, { field: 'account' })
  if (account.status !== 'pending_approval')
    throw new AdcpError('INVALID_STATE', `the account is ${account.status}`, { field: 'account' })
  const setup = { ...account.document.setup, message: question }
  await saveAccount(tx, { ...account, document: { ...account.document, setup } }, now)
}
