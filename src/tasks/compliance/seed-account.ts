import { canTransition } from '../../domain/account/lifecycle.ts'
import { noTransition } from '../../domain/compliance/outcome.ts'
import { fixtureOf, invalidParam, requiredText } from '../../domain/compliance/params.ts'
import { type SeededAccount, seededAccount } from '../../domain/compliance/seeded-account.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { keyById } from '../../store/account/account-references.ts'
import { findAccount, insertAccount, saveAccount } from '../../store/account/accounts.ts'
import { type Scenario, seeded } from './scenario.ts'

/**
 * `seed_account`: a declared sandbox account of this agent under the given id (AdCP 3.1). One that the agent has already gets the members of the
 * fixture, and its status where the life cycle leads there.
 */
export const seedAccount: Scenario = async (params, context) => {
  const { tx, principal, now } = context
  const accountId = requiredText(params, 'account_id')
  const account = seededAccount(accountId, fixtureOf(params))
  checkDocument(accountId, account, context)
  const existing = await findAccount(tx, principal, accountId)
  if (!existing) {
    await insertSeeded(accountId, account, context)
    return seeded('account', accountId)
  }
  const { status, document } = account
  if (existing.status !== status && !canTransition(existing.status, status)) throw noTransition(existing.status, status)
  await saveAccount(tx, { ...existing, status, implicit: false, document: { ...existing.document, ...document } }, now)
  return seeded('account', accountId)
}

async function insertSeeded(
  accountId: string,
  { key, status, document }: SeededAccount,
  { tx, principal, now }: InTransaction<AuthenticatedContext>,
): Promise<void> {
  // An account that the agent named before by brand and operator keeps them; the seeded one is then found by its id alone.
  for (const each of [...(key ? [key] : []), keyById(accountId)]) {
    if (await insertAccount(tx, principal, { key: each, accountId, status, document }, now)) return
  }
  throw invalidParam('account_id', 'is in use; choose another')
}

/** The account has to be one that every release can show. */
function checkDocument(
  accountId: string,
  { status, document }: SeededAccount,
  { services }: InTransaction<AuthenticatedContext>,
): void {
  for (const { schemas } of services.contracts.all) {
    const [issue] = schemas.validator('core/account.json')({ account_id: accountId, ...document, status })
    if (issue) throw invalidParam(`fixture.${issue.pointer.slice(1).replaceAll('/', '.')}`, issue.message)
  }
}
