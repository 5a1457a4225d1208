import type { AccountReference } from '@adcp/sdk/types'
import type { Account } from '../../domain/account/account.ts'
import { requireUsable } from '../../domain/account/lifecycle.ts'
import { requirePermission } from '../../domain/account/permission.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import { accountReference } from '../../protocol/account-reference.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listPermissions } from '../../store/account/account-grants.ts'
import { findReferencedAccount, openSandboxAccount } from '../../store/account/account-references.ts'
import { accountNotFound } from '../account-not-found.ts'
import { changesState } from '../mutating.ts'
import type { State, Step } from '../state.ts'
import type { Task } from '../task.ts'

/** Resolves `account` within the principal's own accounts; a missing reference is never replaced by a default. */
export const resolveAccount: Step = async (state, next) => {
  const { task, principal, request } = state
  if (!task || task.account === 'none' || !principal) return next(state)
  const reference = request && 'account' in request ? accountReference(request.account) : undefined
  if (reference === undefined) {
    if (task.account === 'required') throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    await requireEverywhere(state, task, principal)
    return next(state)
  }
  const account = await find(state, principal, reference)
  if (!account) throw await accountNotFound(state.deps.store.read, principal, reference)
  state.log.note({ account: account.accountId })
  const isChange = changesState(task, request)
  requirePermission(account.permission, { name: task.name, isMutating: isChange })
  if (isChange) requireUsable(account)
  return next({ ...state, account })
}

/**
 * A call that names no account is about all accounts of its agent, so each of them has to allow it. The products are nobody's
 * account, but proposals are the agent's.
 */
async function requireEverywhere(state: State, task: Task, principal: Principal): Promise<void> {
  const isChange = changesState(task, state.request)
  if (task.scope === 'products' && !isChange) return
  for (const permission of await listPermissions(state.deps.store.read, principal)) {
    requirePermission(permission, { name: task.name, isMutating: isChange })
  }
}

/** With `conformance` a sandbox buyer may name an account that it never declared; it is opened before anything is done in it. */
async function find(state: State, principal: Principal, reference: AccountReference): Promise<Account | undefined> {
  const { store, buyers } = state.deps
  const known = await buyers.account(principal, reference)
  if (known || !principal.conformance) return known
  await store.transaction((tx) => openSandboxAccount(tx, principal, reference, state.now))
  return findReferencedAccount(store.read, principal, reference)
}
