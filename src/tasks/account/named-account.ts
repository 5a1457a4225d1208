import type { AccountReference } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { accountNotFound } from '../../pipeline/account-not-found.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findReferencedAccount } from '../../store/account/account-references.ts'

/**
 * The account that narrows a list of the agent's own rows; undefined where none is named, and for agents of a conformance suite, whose rows are one
 * account's. The schemas of these lists do not know the member, so its form is checked here. Throws INVALID_REQUEST, ACCOUNT_NOT_FOUND.
 */
export async function namedAccount(
  { tx, principal }: InTransaction<AuthenticatedContext>,
  reference: unknown,
): Promise<Account | undefined> {
  if (reference === undefined || principal.conformance) return undefined
  if (!isReference(reference)) {
    throw new AdcpError(
      'INVALID_REQUEST',
      'account is no reference: send {"account_id": …} or {"brand": {"domain": …}, "operator": …}',
      {
        field: 'account',
      },
    )
  }
  const account = await findReferencedAccount(tx, principal, reference)
  if (!account) throw await accountNotFound(tx, principal, reference)
  return account
}

function isReference(value: unknown): value is AccountReference {
  if (!isObject(value)) return false
  const { account_id: id, brand, operator } = value
  if (id !== undefined) return typeof id === 'string' && brand === undefined
  return isObject(brand) && typeof brand.domain === 'string' && typeof operator === 'string'
}
