import type { Account } from '../../domain/account/account.ts'
import { accountNotFound } from '../../pipeline/account-not-found.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { accountReference } from '../../protocol/account-reference.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'

/**
 * The account that narrows a list of the agent's own rows; undefined where none is named, and for agents of a conformance suite, whose rows are one
 * account's. The schemas of these lists do not know the member, so its form is checked here. Throws INVALID_REQUEST, ACCOUNT_NOT_FOUND.
 */
export async function namedAccount(
  { tx, principal }: InTransaction<AuthenticatedContext>,
  named: unknown,
): Promise<Account | undefined> {
  const reference = accountReference(named)
  if (reference === undefined || principal.conformance) return undefined
  const account = await findReferencedAccount(tx, principal, reference)
  if (!account) throw await accountNotFound(tx, principal, reference)
  return account
}
