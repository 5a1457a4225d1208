import type { AccountReference } from '@adcp/sdk/types'
import { type Account, naturalKeyOf } from '../../domain/account/account.ts'
import type { ActingPrincipal, PrincipalRef } from '../../domain/identity/principal.ts'
import type { Store } from '../database.ts'
import { mayBeGoverned } from '../governance/governing-plan.ts'
import { exactCache } from '../versioned-cache.ts'
import { findReferencedAccount } from './account-references.ts'

/** Buyers that call at the same time; each is read once while the data version stays the same. */
const MAX_BUYERS = 2_000

/** What nearly every call asks the store about its buyer: of those that arrive together one asks for all. */
export interface RememberedBuyers {
  /** See `findReferencedAccount`. */
  readonly account: (user: ActingPrincipal, reference: AccountReference) => Promise<Account | undefined>
  /** See `mayBeGoverned`. */
  readonly mayBeGoverned: (owner: PrincipalRef, accountId: string | undefined) => Promise<boolean>
}

/** Caches on SQLite only, see `exactCache`. */
export function rememberedBuyers(store: Store): RememberedBuyers {
  const accounts = exactCache<Account>(store, MAX_BUYERS)
  const governed = exactCache<boolean>(store, MAX_BUYERS)
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
function keyOf({ tenantId, principalId }: PrincipalRef, what: unknown): string {
  return JSON.stringify([tenantId, principalId, what])
}
