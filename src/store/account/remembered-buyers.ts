import type { AccountReference } from '@adcp/sdk/types'
import { type Account, naturalKeyOf } from '../../domain/account/account.ts'
import type { Store } from '../database.ts'
import { mayBeGoverned } from '../governance/governing-plan.ts'
import { exactMemory } from '../marked-memory.ts'
import { findReferencedAccount, type Referrer } from './account-references.ts'
import type { Owner } from './accounts.ts'

/** Buyers that call at the same time and are looked up once as long as nothing changes in the store. */
const KEPT_BUYERS = 2_000

/** What nearly every call asks the store about its buyer: of those that arrive together one asks for all. */
export interface RememberedBuyers {
  /** See `findReferencedAccount`. */
  readonly account: (user: Referrer, reference: AccountReference) => Promise<Account | undefined>
  /** See `mayBeGoverned`. */
  readonly mayBeGoverned: (owner: Owner, accountId: string | undefined) => Promise<boolean>
}

/** Remembers under the marks of a store that are exact; any other store is asked each time. */
export function rememberedBuyers(store: Store): RememberedBuyers {
  const accounts = exactMemory<Account>(store, KEPT_BUYERS)
  const governed = exactMemory<boolean>(store, KEPT_BUYERS)
  return {
    account: (user, reference) =>
      accounts(keyOf(user, meaningOf(reference)), () => findReferencedAccount(store.read, user, reference)),
    mayBeGoverned: async (owner, accountId) =>
      (await governed(keyOf(owner, accountId), () => mayBeGoverned(store.read, owner, accountId))) ?? false,
  }
}

/** What decides which account is meant, and nothing else that came with it. */
function meaningOf(reference: AccountReference): unknown {
  return naturalKeyOf(reference) ?? ('account_id' in reference ? reference.account_id : undefined)
}

/** JSON keeps parts apart whatever characters they hold. */
function keyOf({ tenantId, principalId }: Owner, what: unknown): string {
  return JSON.stringify([tenantId, principalId, what])
}
