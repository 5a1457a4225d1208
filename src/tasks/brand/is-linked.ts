import type { PublicContext } from '../../pipeline/task.ts'
import { listAccounts } from '../../store/account/accounts.ts'

/** Callers are linked by an account that may be used (AdCP get_brand_identity: sync_accounts); with `conformance` a sandbox agent needs none. */
export async function isLinked({ db, principal }: PublicContext): Promise<boolean> {
  if (!principal) return false
  if (principal.conformance) return true
  const { accounts } = await listAccounts(db, principal, { status: 'active' }, { after: undefined, limit: 1 })
  return accounts.length > 0
}
