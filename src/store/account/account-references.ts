import type { AccountReference } from '@adcp/sdk/types'
import { type Account, type NaturalKey, naturalKeyOf } from '../../domain/account/account.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import { findAccount, findAccountByKey, insertAccount, type NewAccount } from './accounts.ts'

/** The account that a reference means, within those that the agent may use. */
export async function findReferencedAccount(
  db: Db,
  user: ActingPrincipal,
  reference: AccountReference,
): Promise<Account | undefined> {
  const key = naturalKeyOf(reference)
  if (key) return findAccountByKey(db, user, key)
  if (!('account_id' in reference)) return undefined
  const account = await findAccount(db, user, reference.account_id)
  return account ?? (user.conformance ? findAccountByKey(db, user, keyById(reference.account_id)) : undefined)
}

/** Opens the account that a sandbox agent names without having declared it. All in it is simulated. */
export async function openSandboxAccount(tx: Db, user: ActingPrincipal, reference: AccountReference, now: Date): Promise<void> {
  const account = sandboxAccount(reference)
  if (await insertAccount(tx, user, account, now)) return
  // The id may be that of another agent's account; to this one it is as new as any.
  const { accountId: _taken, ...anyId } = account
  await insertAccount(tx, user, anyId, now)
}

/** The account that a reference means; with `conformance` it is opened when it is not there. Undefined when the agent has no such account. */
export async function findOrOpenAccount(
  tx: Db,
  user: ActingPrincipal,
  reference: AccountReference,
  now: Date,
): Promise<Account | undefined> {
  const known = await findReferencedAccount(tx, user, reference)
  if (known || !user.conformance) return known
  await openSandboxAccount(tx, user, reference, now)
  return findReferencedAccount(tx, user, reference)
}

function sandboxAccount(reference: AccountReference): NewAccount {
  const key = naturalKeyOf(reference)
  if (!key || !('brand' in reference)) return blankAccount('account_id' in reference ? reference.account_id : '')
  const name = `${key.brandDomain} via ${key.operator} (sandbox)`
  const document = { name, brand: reference.brand, operator: key.operator, billing: 'operator', sandbox: true } as const
  return { key, status: 'active', implicit: true, document }
}

/** Under which a sandbox agent's account that it has only ever named by id is found again. */
export function keyById(accountId: string): NaturalKey {
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
