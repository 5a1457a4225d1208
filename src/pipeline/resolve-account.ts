import type { AccountReference } from '@adcp/sdk/types'
import type { Principal } from '../auth/principals.ts'
import type { Account, NaturalKey } from '../domain/account/account.ts'
import { naturalKeyOf } from '../domain/account/account.ts'
import { requireUsable } from '../domain/account/lifecycle.ts'
import { requirePermission } from '../domain/account/permission.ts'
import { AdcpError } from '../errors.ts'
import { listPermissions } from '../store/account-grants.ts'
import type { NewAccount } from '../store/accounts.ts'
import { findAccount, findAccountByKey, insertAccount } from '../store/accounts.ts'
import { isMutating } from './mutating.ts'
import type { State, Step } from './state.ts'
import type { Task } from './task.ts'

/** Resolves `account` within the principal's own accounts; a missing reference is never replaced by a default. */
export const resolveAccount: Step = async (state, next) => {
  const { task, principal, request } = state
  if (!task || task.account === 'none' || !principal) return next(state)
  const reference = request && 'account' in request ? (request.account as AccountReference | undefined) : undefined
  if (reference === undefined) {
    if (task.account === 'required') throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
    await requireEverywhere(state, task, principal)
    return next(state)
  }
  const account = await find(state, principal, reference)
  if (!account) {
    throw new AdcpError('ACCOUNT_NOT_FOUND', 'the account is not one of yours', {
      field: 'account',
      suggestion: 'declare it with sync_accounts, or pick one from list_accounts',
    })
  }
  requirePermission(account.permission, { name: task.name, isMutating: isMutating(task) })
  if (isMutating(task)) requireUsable(account)
  return next({ ...state, account })
}

/**
 * A call that names no account is about all accounts of its agent, so each of them has to allow it. The catalogue is nobody's
 * account.
 */
async function requireEverywhere(state: State, task: Task, principal: Principal): Promise<void> {
  if (task.scope === 'products') return
  for (const permission of await listPermissions(state.deps.store.read, principal)) {
    requirePermission(permission, { name: task.name, isMutating: isMutating(task) })
  }
}

async function find(state: State, principal: Principal, reference: AccountReference): Promise<Account | undefined> {
  const { read } = state.deps.store
  const key = naturalKeyOf(reference)
  const byReference = async () => {
    if (key) return findAccountByKey(read, principal, key)
    if (!('account_id' in reference)) return undefined
    const account = await findAccount(read, principal, reference.account_id)
    return account ?? (principal.sandbox ? findAccountByKey(read, principal, keyById(reference.account_id)) : undefined)
  }
  const known = await byReference()
  if (known || !principal.sandbox) return known
  await openSandboxAccount(state, principal, reference, key)
  return byReference()
}

/** A sandbox buyer may name an account that it never declared: all in it is simulated, so opening it costs nobody anything. */
async function openSandboxAccount(
  state: State,
  principal: Principal,
  reference: AccountReference,
  key: NaturalKey | undefined,
): Promise<void> {
  const { store } = state.deps
  const account: NewAccount =
    key && 'brand' in reference
      ? {
          key,
          status: 'active',
          implicit: true,
          document: {
            name: `${key.brandDomain} via ${key.operator} (sandbox)`,
            brand: reference.brand,
            operator: key.operator,
            billing: 'operator',
            sandbox: true,
          },
        }
      : blankAccount('account_id' in reference ? reference.account_id : '')
  await store.transaction(async (tx) => {
    if (await insertAccount(tx, principal, account, state.now)) return
    // The id may be that of another agent's account; to this one it is as new as any.
    const { accountId: _taken, ...anyId } = account
    await insertAccount(tx, principal, anyId, state.now)
  })
}

/** Under which a sandbox agent's account that it has only ever named by id is found again. */
function keyById(accountId: string): NaturalKey {
  return { brandDomain: accountId, brandId: undefined, operator: 'by-id', sandbox: true }
}

function blankAccount(accountId: string): NewAccount {
  return {
    key: keyById(accountId),
    accountId,
    status: 'active',
    implicit: true,
    document: { name: `${accountId} (sandbox)`, sandbox: true },
  }
}
