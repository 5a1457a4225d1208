import { AdcpError } from '../../protocol/errors.ts'
import type { Account } from './account.ts'
import { requireUsable } from './lifecycle.ts'
import { requirePermission } from './permission.ts'

/**
 * The account that pays for something that costs money: the named one, else the agent's only one. With `conformance` a
 * sandbox agent needs none: undefined. Throws ACCOUNT_NOT_FOUND, ACCOUNT_AMBIGUOUS, or what keeps the only account from being used.
 */
export function billedAccount(
  named: Account | undefined,
  own: readonly Account[],
  { conformance, task }: { readonly conformance: boolean; readonly task: string },
): Account | undefined {
  if (named || conformance) return named
  const [only, another] = own
  if (another) throw new AdcpError('ACCOUNT_AMBIGUOUS', 'you have several accounts: name the one that pays', { field: 'account' })
  if (!only) {
    throw new AdcpError('ACCOUNT_NOT_FOUND', 'you have no account that could pay', {
      field: 'account',
      suggestion: 'declare one with sync_accounts',
    })
  }
  requirePermission(only.permission, { name: task, isMutating: true })
  requireUsable(only)
  return only
}
