import type { SyncAccountsRequest } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { isSettingsEntry } from '../../domain/account/settings-entry.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { accountNotFound } from '../../pipeline/account-not-found.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'
import type { Db } from '../../store/database.ts'

type Entries = SyncAccountsRequest['accounts']

/** Accounts that entries of sync_accounts name by `account`, by entry; entries that declare an account, and references to none, are left out. */
export type NamedAccounts = ReadonlyMap<Entries[number], Account>

/** Finds them within what the agent may use. */
export async function findNamedAccounts(entries: Entries, db: Db, principal: Principal): Promise<NamedAccounts> {
  const named = new Map<Entries[number], Account>()
  for (const entry of entries.filter(isSettingsEntry)) {
    const account = await findReferencedAccount(db, principal, entry.account)
    if (account) named.set(entry, account)
  }
  return named
}

/** The same. Throws ACCOUNT_NOT_FOUND for an unknown id, before anything is done: a row of the answer would have to name its brand. */
export async function requireNamedAccounts(
  entries: Entries,
  { db, principal }: Pick<AuthenticatedContext, 'db' | 'principal'>,
): Promise<NamedAccounts> {
  const named = await findNamedAccounts(entries, db, principal)
  for (const [index, entry] of entries.entries()) {
    if (!isSettingsEntry(entry) || !('account_id' in entry.account) || named.get(entry)?.document.brand) continue
    throw await accountNotFound(db, principal, entry.account, `accounts[${index}].account`)
  }
  return named
}
